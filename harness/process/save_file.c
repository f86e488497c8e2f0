#include "harness/process/save_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_write(const char *path, int error, Message *message) {
  return message_fail(message, "%s cannot be written: %s", path, strerror(error));
}

// ---- where the file goes -----------------------------------------------------------------------

// The length of a path's folder with its slash; 0 for a name alone.
static int folder_length(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash == NULL ? 0 : (int)(slash - path) + 1;
}

// The path behind all symbolic links, also where nothing is there yet. NULL: errno has the reason.
static char *resolve(const char *path) {
  char *const real = realpath(path, NULL);
  if (real != NULL || errno != ENOENT) return real;
  char link[PATH_MAX], next[2 * PATH_MAX];
  const ssize_t length = readlink(path, link, sizeof link - 1);
  if (length < 0) return strdup(path);
  link[length] = '\0';
  // A relative link starts at the folder of the link. A ring of links ends in ELOOP above.
  snprintf(next, sizeof next, "%.*s%s", link[0] == '/' ? 0 : folder_length(path), path, link);
  return resolve(next);
}

static bool written_in_place(const char *path, const struct stat *there) {
  return !S_ISREG(there->st_mode) || strncmp(path, "/dev/", 5) == 0 ||
         strncmp(path, "/proc/", 6) == 0;
}

// ---- writing beside the target -----------------------------------------------------------------

// Creates a file without a name in the target's folder, or one with a temporary name if the file
// system has no nameless files. Returns its descriptor, or -1.
static int open_beside(SaveFile *file) {
  const int length = folder_length(file->target);
  char *folder = NULL;
  if (asprintf(&folder, "%.*s", length, length == 0 ? "" : file->target) < 0) return -1;
  int descriptor = open(length == 0 ? "." : folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  free(folder);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return descriptor;
  if (asprintf(&file->temporary, "%.*s.save.XXXXXX", length, file->target) < 0) {
    file->temporary = NULL;
    return -1;
  }
  descriptor = mkostemp(file->temporary, O_CLOEXEC);
  if (descriptor < 0) {
    free(file->temporary);
    file->temporary = NULL;
    return -1;
  }
  const mode_t mask = umask(0);
  umask(mask);
  (void)fchmod(descriptor, 0666 & ~mask);  // mkostemp sets 0600
  return descriptor;
}

// Gives a file without a name a temporary one.
static bool name_it(SaveFile *file, int descriptor) {
  char self[32];
  snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
  for (int attempt = 0; attempt < 100; attempt++) {
    if (asprintf(&file->temporary, "%.*s.save.%ld.%d", folder_length(file->target), file->target,
                 (long)getpid(), attempt) < 0) {
      file->temporary = NULL;
      return false;
    }
    if (linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0) return true;
    const int error = errno;
    free(file->temporary);
    file->temporary = NULL;
    errno = error;
    if (error != EEXIST) return false;
  }
  return false;
}

static bool move_into_place(SaveFile *file) {
  const int descriptor = fileno(file->stream);
  struct stat old;
  if (stat(file->target, &old) == 0) (void)fchmod(descriptor, old.st_mode & 0777);
  if (file->temporary == NULL && !name_it(file, descriptor)) return false;
  if (rename(file->temporary, file->target) != 0) return false;
  free(file->temporary);
  file->temporary = NULL;
  return true;
}

// ---- the interface -----------------------------------------------------------------------------

static bool open_stream(SaveFile *file) {
  struct stat there;
  const bool exists = stat(file->path, &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (exists && written_in_place(file->path, &there)) {
    file->stream = fopen(file->path, "wbe");
    return file->stream != NULL;
  }
  if (exists && access(file->path, W_OK) != 0) return false;  // rename() does not check this
  file->target = resolve(file->path);
  const int descriptor = file->target == NULL ? -1 : open_beside(file);
  if (descriptor < 0) return false;
  file->stream = fdopen(descriptor, "wb");
  if (file->stream == NULL) close(descriptor);
  return file->stream != NULL;
}

bool save_file_open(const char *path, SaveFile *file, Message *message) {
  *file = (SaveFile){.path = strdup(path)};
  errno = file->path == NULL ? ENOMEM : 0;
  if (file->path != NULL && open_stream(file)) return true;
  const int error = errno;
  save_file_drop(file);
  return cannot_write(path, error, message);
}

void save_file_write(SaveFile *file, const void *bytes, size_t size) {
  errno = 0;
  if (size == 0 || fwrite(bytes, 1, size, file->stream) == size || file->error != 0) return;
  file->error = errno != 0 ? errno : EIO;
}

void save_file_flush(SaveFile *file) {
  errno = 0;
  if (fflush(file->stream) == 0 && ferror(file->stream) == 0) return;
  // A write inside fprintf may have failed, whose errno is gone.
  if (file->error == 0) file->error = errno != 0 ? errno : EIO;
}

bool save_file_commit(SaveFile *file, Message *message) {
  save_file_flush(file);
  if (file->error == 0 && file->target != NULL && !move_into_place(file)) file->error = errno;
  // If only closing fails, the old file is gone; rare, and reported.
  if (fclose(file->stream) != 0 && file->error == 0) file->error = errno;
  file->stream = NULL;
  const bool good = file->error == 0 || cannot_write(file->path, file->error, message);
  save_file_drop(file);
  return good;
}

void save_file_drop(SaveFile *file) {
  if (file->stream != NULL) fclose(file->stream);
  if (file->temporary != NULL) unlink(file->temporary);
  free(file->temporary);
  free(file->target);
  free(file->path);
  *file = (SaveFile){0};
}
