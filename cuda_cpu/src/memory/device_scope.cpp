// When device memory may be touched.
#include <mutex>

#include <cuda_cpu/memory.h>

#include "../diagnosis/check.h"
#include "pages.h"
#include "region_map.h"

namespace cuda_cpu {

namespace {

#if defined(__SANITIZE_ADDRESS__)
int scopes = 0;  // that are alive

void set_access_to_all(int change, int first_or_last) {
  const std::lock_guard<std::mutex> guard(region_mutex);
  scopes += change;
  if (scopes != first_or_last) return;
  for (const auto &region : regions) set_access(region, change > 0);
}
void enter(bool) { set_access_to_all(1, 1); }
void leave(bool) { set_access_to_all(-1, 0); }
#else
void enter(bool is_library) { pages::enter(is_library); }
void leave(bool is_library) { pages::leave(is_library); }
#endif

}  // namespace

DeviceScope::DeviceScope(User user) : user_(user) {
  enter(user == kLibrary);
  if constexpr (check::kOn) check::open_to_host(true);
}

DeviceScope::~DeviceScope() {
  leave(user_ == kLibrary);
  if constexpr (check::kOn) {
    check::open_to_host(false);
    if (user_ == kLibrary) check::heap_written_by_library();
  }
}

}  // namespace cuda_cpu
