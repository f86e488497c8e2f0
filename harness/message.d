harness/message.o: harness/message.c harness/message.h
harness/message.h:
