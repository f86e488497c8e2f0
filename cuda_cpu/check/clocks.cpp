// What threads know of others.
#include "clocks.h"

#include <algorithm>

namespace cuda_cpu::check {

Knowledge::Knowledge(std::uint32_t block, Clock all, unsigned warp, const Lanes &lanes)
    : entries_{{block, warp, lanes}, {block, kAllWarps, {all}}} {}

const Knowledge::Entry *Knowledge::find(std::uint32_t block, unsigned warp) const {
  const Entry wanted = {block, warp, {}};
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted,
                                      [](const Entry &a, const Entry &b) { return a.before(b); });
  return found != entries_.end() && !wanted.before(*found) ? &*found : nullptr;
}

bool Knowledge::covers(std::uint32_t block, unsigned thread, Clock clock) const {
  const Entry *const all = find(block, kAllWarps);
  if (all == nullptr) return false;  // every block that is known of has such an entry
  if (clock <= all->lanes[0]) return true;
  const Entry *const warp = find(block, thread / 32);
  return warp != nullptr && clock <= warp->lanes[thread % 32];
}

Knowledge::Pointer Knowledge::join(const Pointer &a, const Pointer &b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  auto joined = std::make_shared<Knowledge>();
  bool a_has_all = true, b_has_all = true;
  auto i = a->entries_.begin(), j = b->entries_.begin();
  const auto a_end = a->entries_.end(), b_end = b->entries_.end();
  while (i != a_end || j != b_end) {
    if (j == b_end || (i != a_end && i->before(*j))) {
      joined->entries_.push_back(*i++);
      b_has_all = false;
    } else if (i == a_end || j->before(*i)) {
      joined->entries_.push_back(*j++);
      a_has_all = false;
    } else {
      Entry both = *i;
      for (unsigned lane = 0; lane < 32; lane++) {
        both.lanes[lane] = std::max(i->lanes[lane], j->lanes[lane]);
        a_has_all = a_has_all && i->lanes[lane] >= j->lanes[lane];
        b_has_all = b_has_all && j->lanes[lane] >= i->lanes[lane];
      }
      joined->entries_.push_back(both);
      i++, j++;
    }
  }
  if (a_has_all) return a;
  if (b_has_all) return b;
  return joined;
}

}  // namespace cuda_cpu::check
