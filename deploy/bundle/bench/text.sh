# text MODEL.lmx TEXT-FILE [OUT-FOLDER]
#   The text processing around a decoder on the CPU, by number of threads. Variable: THREADS, such as 1,2,4.
[ $# -ge 2 ] || usage
out=${3:-.}
mkdir -p "$out"
keep "$out/text.jsonl" java io.latimer.benchmarks.gpu.TextBench "$1" "$2" "${RUNS:-9}" "${THREADS:-1,2,4,8,16}"
