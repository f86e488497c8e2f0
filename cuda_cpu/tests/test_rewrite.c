// The rewriter of the cpu backend on small sources. It is the program that REWRITE names, or that
// of the build folder which this test is in; without either (another backend) the tests are
// skipped.
#include "test.h"

#include <limits.h>

static char rewriter[PATH_MAX + 16];
static char source_name[] = "/tmp/test_rewrite.XXXXXX";

// ---- running it ---------------------------------------------------------------------------------

static Child rewrite(const char *source) {
  if (access(rewriter, X_OK) != 0) skip();
  FILE *const file = fopen(source_name, "w");
  assert_non_null(file);
  fputs(source, file);
  fclose(file);
  Child child;
  child_run(&child, rewriter, source_name, NULL, NULL);
  return child;
}

// What it makes of the source, in `text`.
static const char *rewritten(const char *source) {
  static char text[CHILD_TEXT];
  const Child child = rewrite(source);
  assert_string_equal(child.errors, "");
  assert_int_equal(child.exit_code, 0);
  memcpy(text, child.output, strlen(child.output) + 1);
  return text;
}

static void expect(const char *source, const char *result) {
  assert_string_equal(rewritten(source), result);
}

static void expect_unchanged(const char *source) { expect(source, source); }

// Fails with this message, which names the line.
static void expect_error(const char *source, int line, const char *problem) {
  const Child child = rewrite(source);
  char message[PATH_MAX + 200];
  snprintf(message, sizeof message, "%s:%d: %s", source_name, line, problem);
  child_expect_text(child.errors, message);
  assert_string_equal(child.output, "");
  assert_int_equal(child.exit_code, 1);
}

// The source behind `{` of a device function; the same for what it becomes.
static const char *in_function(const char *source) {
  static char text[CHILD_TEXT];
  snprintf(text, sizeof text, "__device__ void f() {%s", source);
  const char *const result = rewritten(text);
  assert_memory_equal(result, " void f() {", 11);
  return result + 11;
}

// Every word "@N" of the source stands on line N, before and after.
static void expect_lines_kept(const char *source) {
  const char *const texts[] = {source, rewritten(source)};
  for (int i = 0; i < 2; i++) {
    int line = 1, marks = 0;
    for (const char *c = texts[i]; *c != '\0'; c++) {
      line += *c == '\n';
      if (*c != '@') continue;
      assert_int_equal(atoi(c + 1), line);
      marks++;
    }
    assert_true(marks > 0);
  }
}

// ---- bounds of launches -------------------------------------------------------------------------

#define ASKS "void f() { cudaFuncGetAttributes(&a, &n::k<1>); g(k<1>); }"
#define BOUNDED "__global__ void __launch_bounds__(8) k(int *a) {} "

TEST(launch_bounds) {
  expect("__global__ void __launch_bounds__(256, 2) k(int *a) { f(); }",
         " void  k(int *a) { cuda_cpu::check_bound(256, 2); f(); }");
  expect("template <int N> __launch_bounds__(N,\n 2) __global__ void k(int a = int{1}) noexcept {}",
         "template <int N> \n  void k(int a = int{1}) noexcept { cuda_cpu::check_bound(N,  2);}");
  // Declarations, and what follows them.
  expect("__global__ void __launch_bounds__(2) k(); __global__ void f() {} void g() {}",
         " void  k();  void f() {} void g() {}");
  expect("void __launch_bounds__ f();", "void  f();");
  // A call that asks for the bound. A name with and without a bound tells none.
  child_expect_text(rewritten(BOUNDED ASKS),
                    "cudaFuncGetAttributes(&a,  cuda_cpu::bounded(n::k<1>)); g(k<1>);");
  child_expect_text(rewritten(BOUNDED "template <> __global__ void k<1>() {} " ASKS),
                    "cudaFuncGetAttributes(&a,  n::k<1>);");
}

TEST(device_pointers) {
  expect("v h(thrust::device_ptr<unsigned int>(in), thrust::device_ptr<unsigned int>( in\n) + n);",
         "v h(thrust::device_ptr<unsigned int>{in}, thrust::device_ptr<unsigned int>{ in\n} + n);");
  expect_unchanged(
      "thrust::device_ptr<int>(in); device_ptr<int> a(in), b(x + 1); device_ptr<int>(0, 1);");
}

// A qualifier of CUDA; libstdc++ has it as the name of an attribute.
TEST(noinline) {
  expect("__noinline__ void f();", "__attribute__((noinline)) void f();");
  expect("__device__ __noinline__ int f();", " __attribute__((noinline)) int f();");
  expect_unchanged("__attribute__((__noinline__)) void f();");
  expect_unchanged("__attribute__((cold, __noinline__)) void f();");
  expect_unchanged("[[gnu::__noinline__]] void f();");
  expect_unchanged("// __noinline__\nint my__noinline__;");
}

TEST(const_twice) {
  expect("void f(const unsigned int const *a, std::size_t const const b);",
         "void f(const unsigned int  *a, std::size_t const  b);");
  expect_unchanged("const int *const a = 0; const T<const int> b; int c() const; const int d;");
}

// ---- what stays as it is ------------------------------------------------------------------------

TEST(comments_and_literals) {
  expect_unchanged("");
  expect_unchanged("int a = b << 3 >> c; std::cout << a << b; a <<= 2; x<y<z>> v;\n");
  expect_unchanged(
      "// kernel<<<1, 2>>>() it's \"\n/* k<<<1>>>() \n ' __shared__ int a; */ int b;\n");
  expect_unchanged("// goes on \\\n k<<<1, 1>>>();\nint a;");
  expect_unchanged("const char *s = \"k<<<1, 2>>>() \\\" // __shared__\", c = '\"', d = '\\'';\n");
  expect_unchanged("const char *s = \"two \\\nlines <<<\";\n");
  expect_unchanged("const char *s = R\"(<<< \" ' // )\", *t = R\"x(<<<)\" )y\" __shared__ )x\";\n");
  expect_unchanged(
      "auto s = u8R\"(\" <<<)\"; auto t = LR\"a(<<<\")a\"; auto u = L'\"', v = u8\"<<<\";\n");
  expect_unchanged("long n = 1'000'000, m = 0xff'ff; char c = '<'; int k = '<<<';\n");
  expect_unchanged("int not__shared__ = 1, __shared__2, a__shared__;\n");
}

TEST(directives) {
  expect_unchanged("#include <x.h>  // it's <<<\n#define A \\\n  b<<<1, 2>>>()\nint c;\n");
  expect_unchanged("#define A /* it's\n a <<< b */ 3\n#error don't\n#pragma unroll\n");
  // A directive begins no statement: the type is int, not "#endif int".
  expect_lines_kept(
      "#if 1 // @1\n__shared__ int a; // @2\n#endif // @3\n__shared__ int b; // @4\n");
}

// ---- launches -----------------------------------------------------------------------------------

// The call that a kernel becomes, up to what stands between <<< and >>>.
#define LAUNCHER(kernel, name) LAUNCHER_BY(kernel, name, "", kernel)
#define LAUNCHER_BY(kernel, name, captured, called)                                           \
  "cuda_cpu::launcher([=](auto cuda_cpu_) -> decltype(cuda_cpu::signature(cuda_cpu_, " kernel \
  ")) { return cuda_cpu::signature(cuda_cpu_, " kernel "); }, [=" captured                    \
  "](auto... cuda_cpu_) -> decltype(" kernel "(cuda_cpu_...)) { return " called               \
  "(cuda_cpu_...); }, \"" name "\", "

// Other ways to write a launch are in test_launch.cu.
TEST(launches) {
  expect("k<<<1, 2>>>(a, b);", LAUNCHER("k", "k") "1, 2)(a, b);");
  expect("std::ostream &operator<< <T>(int); a::operator<<  <>();",
         "std::ostream &operator<< <T>(int); a::operator<<  <>();");
  expect("return (k<A<B<1>>><<<1, 1>>>());",
         "return (" LAUNCHER("k<A<B<1>>>", "k<A<B<1>>>") "1, 1)());");
  expect("k<sizeof(\"a\\n\")><<<1, 1>>>();",
         LAUNCHER("k<sizeof(\"a\\n\")>", "k<sizeof(\\\"a\\\\n\\\")>") "1, 1)();");
  expect("return this->m[0]<<<1, 1>>>();",
         "return " LAUNCHER_BY("this->m[0]", "this->m[0]", ", cuda_cpu_kernel = this->m[0]",
                               "cuda_cpu_kernel") "1, 1)();");
  expect("f(1)(2)<<<1, 1>>>();", LAUNCHER("f(1)(2)", "f(1)(2)") "1, 1)();");
  expect("do ::k<A>::f<<<1, 1>>>();", "do " LAUNCHER("::k<A>::f", "::k<A>::f") "1, 1)();");
}

TEST(lines_of_launches) {
  expect_lines_kept("k<<<1, // @1\n 2 // @2\n >>>(a, // @3\n b); // @4\n");
  expect_lines_kept("k<\n<\n<1, 2>\n> >\n(); // @5\nint a; // @6\n");
  expect_lines_kept("kernel\n  <<<1, 2>>>(); // @2\nint a; // @3\n");
  expect_lines_kept("kernel<int,\n  4>\n  <<<1,\n  2>>>(); // @4\nint a; // @5\n");
}

// ---- __shared__ ---------------------------------------------------------------------------------

// Declarations and, separated by |, the typedefs that have to come of them.
static void expect_types(const char *declarations, const char *types) {
  const char *c = in_function(declarations);
  char found[1024] = "";
  size_t length = 0;
  while ((c = strstr(c, "typedef ")) != NULL) {
    c += strlen("typedef ");
    if (length > 0) found[length++] = '|';
    for (; strncmp(c, "; static char ", 14) != 0; c++)  // single spaces
      if (*c != ' ' || (length > 0 && found[length - 1] != ' ' && found[length - 1] != '|'))
        found[length++] = *c;
  }
  found[length] = '\0';
  assert_string_equal(found, types);
}

TEST(declarators_and_types) {
  expect_types("__shared__ unsigned int a, b[2], c[N][M];",
               "unsigned int a_shared_type|unsigned int b_shared_type[2]|"
               "unsigned int c_shared_type[N][M]");
  expect_types("__shared__ int a; __shared__ int b;  __shared__ int c;",
               "int a_shared_type|int b_shared_type|int c_shared_type");
  expect_types("volatile __shared__ int a; static __shared__ int b; __shared__ volatile int c;",
               "volatile int a_shared_type|int b_shared_type|volatile int c_shared_type");
  expect_types("__shared__ typename X<T, 3>::Storage s; __shared__ std::array<int, 4> a[2];",
               "typename X<T, 3>::Storage s_shared_type|std::array<int, 4> a_shared_type[2]");
  expect_types("__shared__ int a[N * 2], b[(M + 1) / 2], c[1 << 4], d[N < 4 ? 4 : N], e[f(1, 2)];",
               "int a_shared_type[N * 2]|int b_shared_type[(M + 1) / 2]|int c_shared_type[1 << 4]|"
               "int d_shared_type[N < 4 ? 4 : N]|int e_shared_type[f(1, 2)]");
  expect_types(
      "__shared__ int *p, * *q[2], r; __shared__ struct { int x, y; } pair; __shared__ int "
      "external[3];",
      "int * p_shared_type|int * * q_shared_type[2]|int r_shared_type|struct { int x, y; } "
      "pair_shared_type|int external_shared_type[3]");
  expect_types("__shared__ /* , */ int a, // one, [two]\n b; /* three */",
               "int a_shared_type|int b_shared_type");
  expect_types("{ int x = 1; /* ; */ __shared__ int a; }", "int a_shared_type");
  expect_types("k<<<1, 1>>>(); __shared__ int a;", "int a_shared_type");
}

TEST(lines_of_shared_arrays) {
  expect_lines_kept("__shared__ int a, // one\n  b, /* two\n  */ c; // @3\nint d; // @4\n");
  expect_lines_kept("extern\n__shared__\nint a[\n]; // @4\n");
}

// ---- inline PTX, shifts, kernels by address -----------------------------------------------------

TEST(inline_ptx) {
  expect("asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x[1]));",
         "(x[1]) = cuda_cpu::lane_id();");
  expect("asm(\"prmt.b32 %0,%1,\"\n\" %2, %3;\" : \"=r\"(a) : \"r\"(f(b, c)), \"r\"(d), \"r\"(e));",
         "(a) = __byte_perm((f(b, c)), (d), (e))\n;");
  expect_unchanged("asm volatile(\"\" ::: \"memory\"); int an_asm(int asm_);");
  expect_unchanged("# 1 \"a.h\" 1 3\nasm(\"nop\");\n");
  expect("asm(\"mad.lo.s32 %0, %1, 3, %1;\" : \"=r\"(a) : \"r\"(b));",
         "(a) = static_cast<int>(static_cast<unsigned>((b)) * static_cast<unsigned>(3) + "
         "static_cast<unsigned>((b)));");
  expect(
      "asm(\"{.reg .pred p; setp.ne.u32 p, %0, 0;\\n @!p not.b32 %0, %1;}\" : \"+r\"(a) : "
      "\"r\"(b));",
      "do { auto ptx_0 = (a); auto ptx_1 = (b); bool ptx_p{}; "
      "ptx_p = static_cast<unsigned>(ptx_0) != static_cast<unsigned>(0); "
      "if (!ptx_p) ptx_0 = static_cast<unsigned>(~(ptx_1)); (a) = ptx_0; } while (0);");
  expect_error("\nasm(\"wgmma.fence;\");", 2, "inline PTX that has no translation: wgmma.fence");
  expect_error("\n\nasm(\"add.u32 %0, %0, 1; frob %0;\" : \"+r\"(a));", 3,
               "inline PTX that has no translation: frob %0");
  expect_error("asm(\"add.u32 %0, %0, t;\" : \"+r\"(a));", 1,
               "inline PTX that has no translation: add.u32 %0, %0, t");
  expect_error("asm(\"mov.u32 %0, %%gridid;\" : \"=r\"(a));", 1,
               "inline PTX that has no translation: mov.u32 %0, %gridid");
  expect_error("asm(\"add.u32 %0, %0, %1;\" : \"+r\"(a));", 1,
               "inline PTX with fewer operands than it names");
}

TEST(clocks) {
  assert_string_equal(
      in_function("return a > clock() ? b : clock() - p->clock() + clock_t(my::clock());"),
      "return a > cuda_cpu::device_clock() ? b : cuda_cpu::device_clock() - p->clock() + "
      "clock_t(my::clock());");
  expect_unchanged("clock_t now() { return clock(); }");
}

TEST(null_arguments) {
  const char *const text = rewritten(
      "template <int N> __global__ void k(int *a, int b); __global__ void f(int *a);"
      "\nk<2><<<1, 2>>>(0, g(0, NULL), (0), 0); f<<<1, 1>>>(0);"
      "k<3><<<1, 1>>>(1,\n# 1 \"a.h\" 3 4\n__null\n# 5 \"a.cu\"\n);");
  child_expect_text(
      text, "(cuda_cpu::Null<decltype(0)>{}, g(0, NULL), (0), cuda_cpu::Null<decltype(0)>{});");
  child_expect_text(text, "\"f\", 1, 1)(0);");
  child_expect_text(text, "3 4\ncuda_cpu::Null<decltype(__null)>{}\n# 5");
}

TEST(kernels_as_void_pointers) {
  expect(
      "template <class T> __global__ void k(T a);\n"
      "f((const void *)\na::k<int>, (void *)k<0>(x), (void *)b);",
      "template <class T>  void k(T a);\n"
      "f(cuda_cpu::kernel_address(\"a::k<int>\", a::k<int>)\n, (void *)k<0>(x), (void *)b);");
  expect(
      "template <class T> __global__ void k(T a);\n"
      "reinterpret_cast<void *>(&k<3>), reinterpret_cast<int *>(k)",
      "template <class T>  void k(T a);\n"
      "cuda_cpu::kernel_address(\"k<3>\", k<3>), reinterpret_cast<int *>(k)");
}

TEST(shifts) {
  expect_unchanged("int f() { return a << b; } int x = a >> b;");
  expect("__device__ int f() { return a << b >> (c); }",
         " int f() { return a << cuda_cpu::shift << b >> cuda_cpu::shift >> (c); }");
  expect("__global__ void k(int n = 1 << m) { x <<= n; y >>= 3; z = w >> 3; v = w << 3 + n; }",
         " void k(int n = 1 << m) { x <<= cuda_cpu::shift = n; y >>= 3; z = w >> 3; "
         "v = w << cuda_cpu::shift << 3 + n; }");
  expect("__device__ int a[] = {1 << b}; int g() { return a << b; }",
         " int a[] = {1 << b}; int g() { return a << b; }");
  expect("__device__ void f() { P<P<int>> p; if (a < b && c < d >> e) static_cast<P<P<int>>>(p); }",
         " void f() { P<P<int>> p; if (a < b && c < d >> cuda_cpu::shift >> e) "
         "static_cast<P<P<int>>>(p); }");
}

TEST(kernels_by_address) {
  expect("cudaLaunchKernel((void *)k<T>, 1, 2);", "cudaLaunchKernel(k<T>, 1, 2);");
  expect("cudaLaunchCooperativeKernel((const void*)k, 1);", "cudaLaunchCooperativeKernel(k, 1);");
  expect_unchanged("cudaLaunchKernel(k, 1, 2); cudaLaunchKernel((f)(x), 1, 2);");
}

// ---- what cannot be translated ------------------------------------------------------------------

TEST(errors_of_launches) {
  const char *const open = "a launch whose <<< has no >>>( to close it";
  expect_error("int a;\n\nint b = 1 <<< 2;\n", 3, "a launch without the name of a kernel");
  expect_error("return <<<1, 2>>>();", 1, "a launch without the name of a kernel");
  expect_error("<<<1, 2>>>();", 1, "a launch without the name of a kernel");
  expect_error("\nk<<<1, 2>>();\n", 2, open);
  expect_error("\n\nk<<<1, (2>>>();\n", 3, open);
  expect_error("k<<<1, 2)>>>();", 1, open);
  expect_error("k<<<", 1, open);
}

TEST(errors_of_shared_arrays) {
  const char *const problem = "a __shared__ declaration that is more than TYPE NAME[SIZE]...";
  expect_error("\n__shared__ int a = 3;", 2, problem);
  expect_error("int b;\n__shared__ int a[2] = {1, 2};", 2, problem);
  expect_error("__shared__ int a{3};", 1, problem);
  expect_error("__shared__ int (*a)[4];", 1, problem);
  expect_error("extern __shared__ int a;", 1, problem);
  expect_error("__shared__;", 1, problem);
  expect_error("\n__shared__ int a[2", 2, "a bracket that is not closed");
  expect_error("__shared__", 1, "a bracket that is not closed");
}

TEST(warnings_of_lockstep) {
  static const char *const silent[] = {
      "int *s, int t) { s[t] += s[t + 2]; s[t] += s[t + 1]; }",
      "volatile int *s, int *r, int t) { r[t] += r[t + 2]; r[t] += r[t + 1]; }",
      "volatile int *s, int t) { s[t] += s[t + 2]; __syncwarp(); s[t] += s[t + 1]; }",
      "volatile int *s, volatile int *r, int t) { s[t] += s[t + 2]; r[t] += r[t + 1]; }",
      "volatile int *s, int t) { s[t] += s[t]; s[t] += s[t]; }",
      "volatile int *s, int t) { s[t] == s[t + 2]; s[t] == s[t + 1]; }",
  };
  char source[200], message[PATH_MAX + 200];
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
    snprintf(source, sizeof source, "__device__ void f(%s", silent[i]);
    (void)rewritten(source);
  }
  const Child child = rewrite(
      "__device__ void f(volatile int *s, int t) {\n s[t] += s[t + 2];\n"
      " if (t < 9) { s[t] = x = min(x, s[t + 1]); }\n}");
  snprintf(message, sizeof message, "%s:3: warning: lanes exchange values", source_name);
  child_expect_text(child.errors, message);
  assert_int_equal(child.exit_code, 0);
}

// What nvcc refuses in device code, and what it takes there.
TEST(host_only) {
  expect_error("__global__ void k(int *a, int n) {\n  std::sort(a, a + n);\n}", 2,
               "std::sort is a host function: a kernel cannot call it");
  expect_error("static __device__ void f(int *a) {\n {\n ::std :: multimap<int, pair<int, int>> m;",
               3, "std::multimap is a host function");
  expect_error("__global__ void k() { auto s = std::string(); }", 1, "std::string is");
  expect(
      "__global__ void k() { std::vector<int>::size_type n; std::vector<int> *p; "
      "cuda::std::vector<int> v;"
      " std::swap(a, b); a.sort(b); }",
      " void k() { std::vector<int>::size_type n; std::vector<int> *p; cuda::std::vector<int> v;"
      " std::swap(a, b); a.sort(b); }");
  expect(
      "__host__ __device__ void f() { std::sort(a, b); } __global__ void k() {} void g() { "
      "std::map<int, int> m; }",
      "  void f() { std::sort(a, b); }  void k() {} void g() { std::map<int, int> m; }");
  expect_error("__device__ __host__ void f() {} __device__ void g() { std::sort(a, b); }", 1,
               "std::sort is");
}

// Messages name the file and the line that the preprocessor took the text from.
TEST(line_markers) {
  const Child child = rewrite("# 1 \"a.cu\"\n\n# 40 \"b.h\" 1 3\nint a;\nk<<<;\n# 3 \"a.cu\" 2\n");
  child_expect_text(child.errors, "b.h:41: a launch whose <<<");
  expect_unchanged("# 1 \"it's.cu\"\nint a;\n# 7 \"<built-in>\" 2\n");
}

TEST(unterminated_text) {
  expect_error("int a;\n/* it\n\n", 2, "a comment that does not end");
  expect_error("\nconst char *s = \"abc\n\";", 2, "a literal that does not end on its line");
  expect_error("char c = 'a", 1, "a literal that does not end on its line");
  expect_error("char c = '\\", 1, "a literal that does not end on its line");
  expect_error("\"abc\\", 1, "a literal that does not end on its line");
  expect_error("\nauto s = R\"x(abc)y\";", 2, "a raw string that does not end");
  expect_error("auto s = R\"x", 1, "a raw string that does not begin");
  expect_error("k<<<1, /* 2>>>();\n", 1, "a comment that does not end");
  expect_unchanged("// a last line without an end \\");
  expect_unchanged("int a; /");
}

TEST(usage) {
  rewrite("");  // skips without a rewriter
  Child child;
  child_run(&child, rewriter, NULL, NULL, NULL);
  assert_int_equal(child.exit_code, 1);
  child_expect_text(child.errors, "usage: ");
  child_run(&child, rewriter, "/nonexistent.cu", NULL, NULL);
  assert_int_equal(child.exit_code, 1);
  child_expect_text(child.errors, "/nonexistent.cu: No such file");
}

int main(void) {
  const char *const given = getenv("REWRITE");
  char self[PATH_MAX] = "";
  if (given == NULL && readlink("/proc/self/exe", self, sizeof self - 1) > 0) {
    *strrchr(self, '/') = '\0';  // FOLDER/cuda_cpu/tests/test_rewrite
    snprintf(rewriter, sizeof rewriter, "%s/../../rewrite", self);
  } else {
    snprintf(rewriter, sizeof rewriter, "%s", given != NULL ? given : "");
  }
  const int file = mkstemp(source_name);
  if (file < 0) {
    perror(source_name);
    return 1;
  }
  close(file);
  const int failures = run_all_tests("rewrite", NULL, NULL);
  unlink(source_name);
  return failures;
}
