// Makes OpenMP threads wait passively unless the user decides otherwise.
//
// By default a thread of GCC's OpenMP runtime spins for milliseconds at the end of every parallel
// region before it sleeps. As soon as another program wants the cores, these spinning threads keep
// the others from arriving: a sort of a few hundred launches takes 40 times as long.
//
// libgomp reads OMP_WAIT_POLICY once, in a constructor, and offers no call to change it later. As a
// shared library it is initialised before any constructor of the program, so cuda_cpu.mk links the
// static libgomp.a instead. Then both constructors are in one image, where the one with a priority
// runs before those without. The alternatives are worse: starting the program again with the
// variable set surprises debuggers and programs that load this code as a plug-in, and a thread pool
// of our own would leave the program's own OpenMP loops spinning. libomp (Clang) reads its
// environment at the first parallel region, so there the constructor alone suffices.
#include <cstdlib>

namespace {

[[gnu::constructor(101)]] void wait_passively() {
  const int keep_the_users_choice = 0;
  // GOMP_SPINCOUNT, too, is a choice about waiting.
  if (std::getenv("GOMP_SPINCOUNT") == nullptr)
    setenv("OMP_WAIT_POLICY", "passive", keep_the_users_choice);
}

}  // namespace
