#!/bin/sh
# thrust_headers.sh FILE: the compiler options that include the headers of Thrust whose functions FILE uses but does not
# include. With the Thrust of CS344's time others brought them in: published solutions rely on that.
options=
for pair in 'sort (stable_)?sort(_by_key)?' 'scan (inclusive|exclusive)_scan' 'device_vector device_vector' \
  'host_vector host_vector' 'reduce reduce' 'extrema (min|max)_element' 'transform transform' 'copy copy' 'fill fill' \
  'sequence sequence'; do
  header=thrust/${pair%% *}.h
  grep -Eq "thrust::${pair#* } *[(<]" "$1" && ! grep -Eq "# *include *<$header>" "$1" && options="$options -include $header"
done
[ -z "$options" ] || echo "-include cuda_runtime.h$options"
