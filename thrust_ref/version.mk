# On the cpu backend Thrust comes from libthrust-dev and runs on TBB.
ifeq ($(BACKEND),cpu)
  CXXFLAGS_thrust_ref := -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_TBB \
                         -DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP
  LDLIBS_thrust_ref   := -ltbb
endif
