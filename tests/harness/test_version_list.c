// The list of versions: shared objects beside the program, and others by path. The test compiles
// such objects itself, in folders beside this program. Each test uses other folders, because a
// loaded object stays loaded, and dlopen finds it again by its path.
#include "tests/compile_version.h"

#include <libgen.h>
#include <limits.h>

#include "harness/versions/version_list.h"

static char folder[PATH_MAX];  // of this program
static Message message;

static const char *path_of(const char *name) { return text_of("%s/%s", folder, name); }

// FOLDER/NAME/version.so, a version that calls itself `title`.
static void compile(const char *name, const char *title) {
  compile_version(path_of(name), text_of(".name = \"%s\"", title));
}

static int remove_folders(void **state) {
  (void)state;
  return system(text_of("rm -rf %s/list_*", folder));
}

static int set_up(void **state) {
  if (readlink("/proc/self/exe", folder, sizeof folder - 1) < 0) return -1;
  dirname(folder);
  return remove_folders(state);
}

TEST_WITH(test_none, set_up, remove_folders) {
  VersionList list;
  assert_false(version_list_load(&list, "", &message));
  assert_string_equal(message.text, text_of("no versions at %s/*/version.so", folder));
  assert_int_equal(list.count, 0);
  version_list_free(&list);
}

TEST_WITH(test_load, set_up, remove_folders) {
  compile("list_b", "list_b");
  compile("list_c", "list_c");
  compile("list_a", "list_a");
  VersionList list;
  if (!version_list_load(&list, "", &message)) fail_msg("%s", message.text);
  static const char *const names[] = {"list_a", "list_b", "list_c"};
  assert_int_equal(list.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(list.entries[i].version->name, names[i]);
    assert_non_null(list.entries[i].sort);
    assert_ptr_equal(version_list_find(&list, names[i]), &list.entries[i]);
  }
  assert_null(version_list_find(&list, "list"));
  assert_null(version_list_find(&list, "list_d"));
  version_list_free(&list);
  assert_int_equal(list.count, 0);
}

TEST_WITH(test_add, set_up, remove_folders) {
  compile("list_old", "list_old");
  VersionList list;
  if (!version_list_load(&list, "", &message)) fail_msg("%s", message.text);
  compile("list_new", "lion");
  compile("list_copy", "list_old");
  const char *const name = version_list_add(&list, path_of("list_new/version.so"), &message);
  assert_string_equal(name, "lion");
  assert_int_equal(list.count, 2);
  assert_string_equal(version_list_find(&list, "lion")->version->name, "lion");
  // The same file once more is no second version, another file with the same name is.
  assert_string_equal(version_list_add(&list, path_of("list_old/version.so"), &message),
                      "list_old");
  assert_int_equal(list.count, 2);
  assert_null(version_list_add(&list, path_of("list_copy/version.so"), &message));
  expect_part(message.text, "list_copy/version.so is a second version called list_old");
  assert_null(version_list_add(&list, path_of("list_old/version.c"), &message));
  expect_part(message.text, "list_old/version.c cannot be loaded: ");
  assert_null(version_list_add(&list, path_of("list_nothing/version.so"), &message));
  expect_part(message.text, "cannot be loaded: ");
  assert_int_equal(list.count, 2);
  version_list_free(&list);
}

// One that cannot be loaded is an error, not a version less.
TEST_WITH(test_broken, set_up, remove_folders) {
  compile("list_good", "list_good");
  compile("list_bad", "list_bad");
  assert_int_equal(truncate(path_of("list_bad/version.so"), 100), 0);
  VersionList list;
  assert_false(version_list_load(&list, "", &message));
  expect_part(message.text, "list_bad/version.so cannot be loaded: ");
  version_list_free(&list);
}

// A folder copied by hand, whose version still has the old name.
TEST_WITH(test_name_and_folder, set_up, remove_folders) {
  compile("list_first", "list_first");
  compile("list_second", "list_first");
  VersionList list;
  assert_false(version_list_load(&list, "", &message));
  expect_part(message.text, "list_second/version.so calls itself 'list_first': ");
  expect_part(message.text, "must be \"list_second\"");
  version_list_free(&list);
}

RUN_TESTS("version_list", NULL, NULL)
