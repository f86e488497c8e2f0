#include "multi/move/exchange.h"

#include <string.h>

#include "common/check.h"

Exchange *exchange_open(const World *world, const char *name, bool own_device) {
  Message message;
  const bool wants_nccl = strcmp(name, "nccl") == 0;
  const bool all_own = world_max(world, !own_device) == 0;
  message_write(&message,
                "this program was built without NCCL (NCCL=1 needs nccl.h and BACKEND=cuda); "
                "--transport mpi works everywhere");
  world_require(world, !wants_nccl || exchange_has_nccl(), EXIT_USAGE, &message);
  message_write(&message, "NCCL needs a GPU for each rank; --transport mpi lets ranks share one");
  world_require(world, !wants_nccl || all_own, EXIT_USAGE, &message);
  const bool any = strcmp(name, "auto") == 0, direct = strcmp(name, "direct") == 0;
  const bool nccl = wants_nccl || ((any || direct) && exchange_has_nccl() && all_own);
  const Transport *const transport = nccl ? &nccl_transport : &mpi_transport;
  Exchange *exchange = NULL;
  const bool opened = transport->open(world, &exchange, &message);
  world_require(world, opened, EXIT_DEVICE, &message);
  (void)MEMORY_CHECK(exchange);
  exchange->transport = transport;
  exchange->world = world;
#ifdef CUDA_CPU
  exchange->direct = direct ? DIRECT_ALWAYS : DIRECT_NEVER;
#else
  exchange->direct = direct ? DIRECT_ALWAYS : any ? DIRECT_IF_POSSIBLE : DIRECT_NEVER;
#endif
  exchange->name = direct ? "direct" : transport->name;
  return exchange;
}
