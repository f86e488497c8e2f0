// The wrong sorts of student_func.cu, and what the diagnosis must call each.
//   MISTAKE(name, class of harness/diagnose/diagnosis.h, what the sort does)
// The knob `mistake` is the line's number, from 1.
#define ALL_MISTAKES(MISTAKE)                                                                  \
  MISTAKE(KEY_BEHIND, OUTSIDE, "writes d_outputVals[n]")                                       \
  MISTAKE(POSITION_BEFORE, OUTSIDE, "writes d_outputPos[-1]")                                  \
  MISTAKE(INPUT_ROUNDED_UP, OUTSIDE, "pads d_inputVals up to a multiple of 256")               \
  MISTAKE(RETURNS, NOTHING_WRITTEN, "returns at once")                                         \
  MISTAKE(KEYS_ONLY, NOTHING_WRITTEN, "never writes a position")                               \
  MISTAKE(POSITIONS_ONLY, NOTHING_WRITTEN, "never writes a key")                               \
  MISTAKE(IN_PLACE, LEFT_IN_INPUTS, "sorts the inputs in place")                               \
  MISTAKE(IN_PLACE_IF_LARGE, LEFT_IN_INPUTS, "sorts the inputs in place above n = 64")         \
  MISTAKE(IN_PLACE_IF_ODD, LEFT_IN_INPUTS, "leaves the result in the inputs, keys moved last") \
  MISTAKE(PASS_7, LAST_PASS, "copies the result of pass 7 of 8")                               \
  MISTAKE(PASS_7_POSITIONS, LAST_PASS, "copies the keys of pass 8, the positions of pass 7")   \
  MISTAKE(PASS_7_KEYS, LAST_PASS, "copies the positions of pass 8, the keys of pass 7")        \
  MISTAKE(OUTPUTS_EXCHANGED, EXCHANGED, "takes each output for the other")                     \
  MISTAKE(INPUTS_EXCHANGED, EXCHANGED, "takes each input for the other: sorts by position")    \
  MISTAKE(EXCHANGED_IF_LARGE, EXCHANGED, "takes each output for the other above n = 64")       \
  MISTAKE(COPY, UNSORTED, "copies the input")                                                  \
  MISTAKE(BITS_28, LOW_BITS, "seven passes of 4 bits")                                         \
  MISTAKE(BITS_16, LOW_BITS, "two passes of 8 bits")                                           \
  MISTAKE(FROM_THE_TOP, LOW_BITS, "eight passes of 4 bits, from the highest digit on")         \
  MISTAKE(BITS_31, BIT_31, "31 passes of one bit")                                             \
  MISTAKE(FROM_BIT_4, HIGH_BITS, "the pass over bits 0 to 3 is missing")                       \
  MISTAKE(FROM_BIT_16, HIGH_BITS, "compares the upper halves")                                 \
  MISTAKE(SKIPS_8_TO_11, HIGH_BITS, "the pass over bits 8 to 11 is missing")                   \
  MISTAKE(GREATER, DESCENDING, "compares with >")                                              \
  MISTAKE(BACKWARDS, DESCENDING, "writes the result from the end")                             \
  MISTAKE(AS_INT, SIGNED, "compares as int")                                                   \
  MISTAKE(TAIL_256, TAIL, "n / 256 blocks: the rest is never written")                         \
  MISTAKE(TAIL_32, TAIL, "n / 32 warps: the rest stays where it was")                          \
  MISTAKE(TAIL_192, TAIL, "n / 192 blocks: the rest stays where it was")                       \
  MISTAKE(POWERS_OF_TWO, TAIL, "sorts at powers of two, else the largest one of elements")     \
  MISTAKE(BLOCKS_256, ABOVE_BLOCK, "sorts each block of 256, merges none")                     \
  MISTAKE(FIRST_512, ABOVE_BLOCK, "sorts the first 512 elements only")                         \
  MISTAKE(NO_OFFSETS, ABOVE_BLOCK, "every block of 128 writes to the first one's places")      \
  MISTAKE(FIRST_2_18, ABOVE_BLOCK, "sorts the first 2^18 elements only")                       \
  MISTAKE(RACY_ABOVE_2_18, ABOVE_BLOCK, "above 2^18, the output is another one at every call") \
  MISTAKE(EVERY_7TH, LOST, "leaves out every seventh place")                                   \
  MISTAKE(PLACE_5, LOST, "leaves out place 5")                                                 \
  MISTAKE(POSITION_3, LOST, "leaves out the position at place 3")                              \
  MISTAKE(FIRST_TWICE, DOUBLED, "writes the first element to the second place too")            \
  MISTAKE(NEIGHBOURS, DOUBLED, "every fifth place has its neighbour's element")                \
  MISTAKE(LARGEST_FIRST, DOUBLED, "the first place has the largest element too")               \
  MISTAKE(CONSTANT, INVENTED, "writes a constant to place 2")                                  \
  MISTAKE(PLUS_ONE, INVENTED, "adds 1 to every key")                                           \
  MISTAKE(HALF, INVENTED, "keeps the upper half of each key")                                  \
  MISTAKE(POSITIONS_COPIED, POSITIONS_UNMOVED, "copies the positions")                         \
  MISTAKE(POSITIONS_COUNTED, POSITIONS_UNMOVED, "counts 0, 1, 2 .. instead of d_inputPos")     \
  MISTAKE(POSITIONS_REVERSED, POSITIONS_APART, "writes the positions from the end")            \
  MISTAKE(POSITIONS_ROTATED, POSITIONS_APART, "writes each position one place further")        \
  MISTAKE(POSITIONS_SHORT, POSITIONS_APART, "moves positions in three of four passes")         \
  MISTAKE(PASSES_REVERSE, UNSTABLE, "every pass reverses equal digits")                        \
  MISTAKE(LAST_REVERSES, UNSTABLE, "the last pass reverses equal digits")                      \
  MISTAKE(BLOCKS_REVERSE, UNSTABLE, "the last pass takes blocks of 64 from the last one on")   \
  MISTAKE(EQUAL_REVERSED, UNSTABLE, "equal keys come in reverse order")                        \
  MISTAKE(RANDOM_SWAP, RACE, "swaps two elements at every second call or so")                  \
  MISTAKE(RANDOM_KEY, RACE, "a key is another one at every call")                              \
  MISTAKE(PROCESS, RACE, "goes wrong in one process of four")                                  \
  MISTAKE(MISSING_BARRIER, RACE, "reads its neighbour's shared memory without a barrier")      \
  MISTAKE(ORDER, RACE, "places elements in the order in which threads come, from the end")     \
  MISTAKE(ONCE, LATER_CALLS, "sorts once, then returns")                                       \
  MISTAKE(COUNTERS_KEPT, LATER_CALLS, "does not reset its counters")                           \
  MISTAKE(COPY_LATER, LATER_CALLS, "copies the input from the second call on")                 \
  MISTAKE(COPY_FIRST, FIRST_CALL, "copies the input at the first call")                        \
  MISTAKE(NOT_FIRST, FIRST_CALL, "returns at once at the first call")                          \
  MISTAKE(COUNTERS_LATE, FIRST_CALL, "begins with the wrong counters, then resets them")       \
  MISTAKE(NEW_MEMORY, UNWRITTEN_READ, "adds what is in new memory to a key")                   \
  MISTAKE(COUNT_KEPT, UNWRITTEN_READ, "loses an element if a new counter is not 0")            \
  MISTAKE(OLD_OUTPUT, UNWRITTEN_READ, "places the first key by what was in the output")        \
  MISTAKE(BEYOND_END, UNWRITTEN_READ, "takes d_inputVals[n] for the last key")                 \
  MISTAKE(PLACES_EXCHANGED, OTHER, "exchanges two places; the inputs are sorted")              \
  MISTAKE(TWICE_SORTED_INPUTS, DOUBLED, "doubles the first element; the inputs are sorted")    \
  MISTAKE(NEW_KEYS_SORTED_INPUTS, INVENTED, "adds 1 to every key; the inputs are sorted")      \
  MISTAKE(EQUAL_EXCHANGED, UNSTABLE, "exchanges two equal keys; the inputs are sorted")        \
  MISTAKE(REVERSED_SORTED_INPUTS, DESCENDING, "in reverse; the inputs are sorted")             \
  MISTAKE(UNSTABLE_SORTED_INPUTS, UNSTABLE, "equal keys in reverse; the inputs are sorted")
