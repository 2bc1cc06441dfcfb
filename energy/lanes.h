/* lanes.h: marks loops over many cases. Where the compiler can, one clone of
   the function uses the processor's wide registers. The Makefile lets it
   vectorise these files (LANE_FLAGS); no operation is contracted or
   reordered, so the digits are the same everywhere. */
#ifndef GPUTCO_ENERGY_LANES_H
#define GPUTCO_ENERGY_LANES_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define LANES __attribute__((target_clones("avx2", "default")))
#else
#define LANES
#endif

#endif
