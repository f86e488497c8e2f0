# shellcheck shell=bash
# To be sourced by scripts that profile with Nsight Compute:
#
#   ncu_counts VERSION LOG OPTION...    runs ncu with these options
#
# Prints KERNEL,LAUNCHES,METRIC,SUM, a line for each kernel and metric, summed over the launches of all kernels of that
# name. Fails, with a sentence, if ncu does, or counts nothing; LOG has its output.
ncu_counts() {
  local version=$1 log=$2 failed=1
  shift 2
  # It crashes at its start now and then, so it gets three tries.
  for _ in 1 2 3; do
    if ncu --csv --clock-control none --cache-control none "$@" >"$log" 2>&1; then failed=0; break; fi
  done
  # Columns by name: their order differs between versions of ncu. Fields are quoted; numbers have commas.
  sed -n '/^"ID",/,$p' "$log" | awk '
    function field(i) { gsub(/^"|"$/, "", cell[i]); return cell[i] }
    { split($0, cell, "\",\"") }
    /^"ID",/ { for (i in cell) { name = cell[i]; gsub(/"/, "", name); column[name] = i } next }
    /^"/ { kernel = field(column["Kernel Name"]); gsub(/<unnamed>::|\(anonymous namespace\)::/, "", kernel)
      sub(/[<(].*/, "", kernel); sub(/.*( |::)/, "", kernel)
      value = field(column["Metric Value"]); gsub(/,/, "", value)
      key = kernel "," field(column["Metric Name"]); launches[key]++; sum[key] += value }
    END { for (key in sum) { split(key, of, ","); printf "%s,%d,%s,%.0f\n", of[1], launches[key], of[2], sum[key] } }' |
    sort >"$log.rows"
  if [ ! -s "$log.rows" ]; then
    echo "$(basename "$0" .sh): ncu counted nothing for $version:" >&2
    tail -n 3 "$log" >&2
    failed=1
  fi
  cat "$log.rows"
  rm "$log.rows"
  return "$failed"
}
