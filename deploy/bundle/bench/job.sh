# job MODEL.lmx TEXT-FILE [OUT-FOLDER]
#   A translation job through Kafka, compared with the operator alone; needs the Flink layer. Variables: PRECISION
#   (float32, float16, bfloat16, auto; in float32 it fails if translations differ from the operator's), PARALLELISM
#   (subtasks), BATCH (records), IN_FLIGHT (batches per subtask: the operator processes two, the others wait). RUNS must
#   be odd.
[ $# -ge 2 ] || usage
out=${3:-.}
[ -x "$here/jre-flink/bin/java" ] || {
  echo "gpu-bench: job needs the Flink layer: unpack latimer-gpu-$(cat "$here/VERSION")-flink.tar.xz over $here" >&2
  exit 1
}
mkdir -p "$out"
keep "$out/job.jsonl" "$here/jre-flink/bin/java" -Xmx"${HEAP:-16g}" --add-opens=java.base/java.util=ALL-UNNAMED \
  -cp "$here:$here/flink/*:$here/lib/*" io.latimer.benchmarks.gpu.JobBench "$1" "$2" gpu:0 "${RUNS:-5}" \
  "${PARALLELISM:-4}" "${BATCH:-2048}" "${IN_FLIGHT:-3}" "${PRECISION:-auto}"
