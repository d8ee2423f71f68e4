package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.feed.FeedConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A live feed, read by one subtask. The feed is one split that holds its position, so a checkpoint
 * contains the position after the last record before its barrier. Run it with parallelism 1.
 */
record FeedSource(FeedConfig feed, SentenceReader reader)
    implements Source<Envelope, FeedSplit, Boolean> {
  @Override
  public Boundedness getBoundedness() {
    return feed.hasEnd() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<Envelope, FeedSplit> createReader(SourceReaderContext context) {
    return new FeedReader(
        feed, reader, new FeedSourceMetrics(context.metricGroup(), System::currentTimeMillis));
  }

  @Override
  public SplitEnumerator<FeedSplit, Boolean> createEnumerator(
      SplitEnumeratorContext<FeedSplit> context) {
    return new Enumerator(context, new FeedSplit(feed.start().toBytes()));
  }

  /**
   * Resumes from a state.
   *
   * @param assigned whether the reader had the split, and has it in its own state
   */
  @Override
  public SplitEnumerator<FeedSplit, Boolean> restoreEnumerator(
      SplitEnumeratorContext<FeedSplit> context, Boolean assigned) {
    return new Enumerator(context, assigned ? null : new FeedSplit(feed.start().toBytes()));
  }

  @Override
  public SimpleVersionedSerializer<FeedSplit> getSplitSerializer() {
    return new FeedSplit.Serializer();
  }

  @Override
  public SimpleVersionedSerializer<Boolean> getEnumeratorCheckpointSerializer() {
    return new AssignedSerializer();
  }

  /** Assigns the feed to the first reader. */
  private static final class Enumerator implements SplitEnumerator<FeedSplit, Boolean> {
    private final SplitEnumeratorContext<FeedSplit> context;
    private FeedSplit unassigned;

    Enumerator(SplitEnumeratorContext<FeedSplit> context, FeedSplit unassigned) {
      this.context = context;
      this.unassigned = unassigned;
    }

    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, String host) {}

    @Override
    public void addReader(int subtask) {
      if (unassigned != null) {
        context.assignSplit(unassigned, subtask);
        unassigned = null;
      }
    }

    /**
     * Takes the split back if its reader failed before a checkpoint, and assigns it to the next
     * one.
     */
    @Override
    public void addSplitsBack(List<FeedSplit> splits, int subtask) {
      if (!splits.isEmpty()) {
        unassigned = splits.get(0);
      }
    }

    @Override
    public Boolean snapshotState(long checkpoint) {
      return unassigned == null;
    }

    @Override
    public void close() {}
  }

  /** One byte: 1 if the split is assigned. */
  private static final class AssignedSerializer implements SimpleVersionedSerializer<Boolean> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Boolean assigned) {
      return new byte[] {(byte) (assigned ? 1 : 0)};
    }

    @Override
    public Boolean deserialize(int version, byte[] bytes) throws IOException {
      FeedSplit.Serializer.check(version);
      if (bytes.length != 1 || (bytes[0] != 0 && bytes[0] != 1)) {
        throw new FeedSplit.FeedStateException(
            "the state of the feed source must be one byte, 0 or 1, found "
                + bytes.length
                + " bytes");
      }
      return bytes[0] == 1;
    }
  }
}
