package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.sink.GuardedCommittables.Guarded;
import org.apache.flink.api.connector.sink2.Committer;

/** A transaction to commit, and what its committer says of it. */
final class AnsweredRequest implements Committer.CommitRequest<Guarded> {
  private final Guarded guarded;
  private String answer = "";

  AnsweredRequest(Guarded guarded) {
    this.guarded = guarded;
  }

  /** Nothing if the transaction was committed. */
  String answer() {
    return answer;
  }

  @Override
  public Guarded getCommittable() {
    return guarded;
  }

  @Override
  public int getNumberOfRetries() {
    return 0;
  }

  @Override
  public void signalFailedWithKnownReason(Throwable reason) {
    answer = "dropped";
  }

  @Override
  public void signalFailedWithUnknownReason(Throwable reason) {
    answer = "unknown: " + reason.getMessage();
  }

  @Override
  public void retryLater() {
    answer = "retry";
  }

  @Override
  public void updateAndRetryLater(Guarded committable) {
    answer = "retry";
  }

  @Override
  public void signalAlreadyCommitted() {
    answer = "committed before";
  }
}
