# job MODEL.lmx|STAGES.yaml TEXT-FILE [OUT-FOLDER]
#   A job through Kafka, compared with its stages alone; needs the Flink layer. With a model the job translates greedily;
#   otherwise the file has the section `stages` of a job file. Variables: PRECISION of the model (float32, float16,
#   bfloat16, auto), EXACT=true to fail if records differ from those of the stages alone (the default in float32),
#   PARALLELISM (subtasks), BATCH (records), IN_FLIGHT (batches per subtask and stage). RUNS must be odd.
[ $# -ge 2 ] || usage
out=${3:-.}
[ -x "$here/jre-flink/bin/java" ] || {
  echo "gpu-bench: job needs the Flink layer: unpack latimer-gpu-$(cat "$here/VERSION")-flink.tar.xz over $here" >&2
  exit 1
}
mkdir -p "$out"
stages=$1
precision=${PRECISION:-auto}
case $1 in
  *.yaml) ;;
  *)
    stages=$out/stages.yaml
    cat >"$stages" <<EOF
stages:
  - translate: {model: "$(realpath "$1")", device: "gpu:0", precision: $precision, beam: 1, scores: false}
EOF
    [ "$precision" != float32 ] || EXACT=${EXACT:-true}
    ;;
esac
keep "$out/job.jsonl" "$here/jre-flink/bin/java" -Xmx"${HEAP:-16g}" --add-opens=java.base/java.util=ALL-UNNAMED \
  -cp "$here:$here/flink/*:$here/lib/*" io.latimer.benchmarks.gpu.JobBench "$stages" "$2" "${RUNS:-5}" \
  "${PARALLELISM:-4}" "${BATCH:-2048}" "${IN_FLIGHT:-3}" "${EXACT:-false}"
