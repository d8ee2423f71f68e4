package io.latimer.e2e.chaos;

/** What happens to the job and its surroundings. */
enum Fault {
  KILL_TASK_MANAGER(true, "SIGKILL of a task manager, which is started again"),
  KILL_JOB_MANAGER(true, "SIGKILL of the job manager; another one takes over from ZooKeeper"),
  KILL_BROKER(true, "SIGKILL of the broker, which is started again"),
  KILL_CLUSTER(
      true,
      "SIGKILL of the job manager and all task managers; a new cluster goes on from the newest"
          + " checkpoint on disk (`flink run -s`)"),
  FREEZE_TASK_MANAGER(false, "SIGSTOP of a task manager; another one takes its place"),
  FREEZE_JOB_MANAGER(false, "SIGSTOP of the job manager"),
  FREEZE_BROKER(false, "SIGSTOP of the broker"),
  FULL_DISK(false, "a full disk under the checkpoints"),
  SINK_REFUSES(false, "an output topic that refuses every record (`max.message.bytes`)"),
  SLOW_READER(false, "a reader that stops for seconds between polls"),
  HUNG_OPERATOR(false, "an operator that hangs on a sentence once (`batch.timeout`)"),
  POISON_SENTENCE(false, "an operator that hangs on a sentence whenever it tries"),
  DEAD_LETTER_STORM(false, "10,000 unreadable records a second"),
  CLOCK_STEP(false, "the clock of all Flink processes is stepped, and back"),
  BIG_RECORDS(false, "records of 1 MB");

  private final boolean kill;
  private final String meaning;

  Fault(boolean kill, String meaning) {
    this.kill = kill;
    this.meaning = meaning;
  }

  /** Whether processes are killed. */
  boolean isKill() {
    return kill;
  }

  /** Whether the recovery begins with the fault, not when it is over. */
  boolean isInstant() {
    return kill || this == FREEZE_TASK_MANAGER || this == HUNG_OPERATOR || this == POISON_SENTENCE;
  }

  String meaning() {
    return meaning;
  }
}
