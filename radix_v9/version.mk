# gsort is linked in, and built first. (student_func.o includes nothing of it but gsort.h.)
LDLIBS_radix_v9 = $(B)/gsort/libgsort.a
$(addprefix $(B)/radix_v9/,version.so sorter test trace multi_sort): $(B)/gsort/libgsort.a
