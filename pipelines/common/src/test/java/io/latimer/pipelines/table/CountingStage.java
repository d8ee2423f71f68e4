package io.latimer.pipelines.table;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.CountedNgram;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts whole texts in maps; the text "bad" cannot be counted. */
final class CountingStage implements TableStage<NgramTable> {
  private static final long serialVersionUID = 1L;

  private final TableWindows windows;

  /** Number of open accumulators. */
  transient int accumulators;

  CountingStage(TableWindows windows) {
    this.windows = windows;
  }

  static byte[] bytes(Map<String, Long> counts) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(counts)
        .forEach((word, count) -> text.append(word).append('=').append(count).append('\n'));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static Map<String, Long> counts(byte[] bytes) {
    Map<String, Long> counts = new TreeMap<>();
    new String(bytes, StandardCharsets.UTF_8)
        .lines()
        .forEach(
            line -> {
              int at = line.lastIndexOf('=');
              counts.put(line.substring(0, at), Long.valueOf(line.substring(at + 1)));
            });
    return counts;
  }

  static Map<String, Long> counts(NgramTable table) {
    Map<String, Long> counts = new TreeMap<>();
    table.getTop().forEach(one -> counts.put(one.getNgram(), one.getCount()));
    return counts;
  }

  @Override
  public Accumulator accumulator() {
    accumulators++;
    return new Accumulator() {
      private final Map<String, Long> counts = new TreeMap<>();

      @Override
      public List<Result<Long>> add(List<Envelope> batch) {
        List<Result<Long>> results = new ArrayList<>();
        for (Envelope envelope : batch) {
          String text = envelope.getSentence().getText();
          if (text.equals("bad")) {
            results.add(Result.failure(new RecordException("cannot be counted")));
          } else {
            counts.merge(text, 1L, Long::sum);
            results.add(Result.of(1L));
          }
        }
        return results;
      }

      @Override
      public byte[] take() {
        byte[] bytes = bytes(counts);
        counts.clear();
        return bytes;
      }

      @Override
      public void close() {
        accumulators--;
      }
    };
  }

  @Override
  public byte[] merge(List<byte[]> all) {
    Map<String, Long> merged = new TreeMap<>();
    for (byte[] one : all) {
      counts(one).forEach((word, count) -> merged.merge(word, count, Long::sum));
    }
    return bytes(merged);
  }

  @Override
  public NgramTable table(TableScope scope, byte[] bytes) {
    List<CountedNgram> top = new ArrayList<>();
    counts(bytes).forEach((word, count) -> top.add(new CountedNgram(word, count)));
    return NgramTable.newBuilder()
        .setJob("job")
        .setStage(name())
        .setFeed(scope.group())
        .setUnit("texts")
        .setOrder(1)
        .setRunning(scope.running())
        .setStart(Instant.ofEpochMilli(scope.start()))
        .setEnd(Instant.ofEpochMilli(scope.end()))
        .setRevision(scope.revision())
        .setSentences(scope.records())
        .setTotal(top.stream().mapToLong(CountedNgram::getCount).sum())
        .setDistinct(top.size())
        .setLate(scope.late())
        .setTop(top)
        .build();
  }

  @Override
  public String name() {
    return "counting";
  }

  @Override
  public String device() {
    return "cpu";
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {}

  @Override
  public void close() {}

  @Override
  public Class<NgramTable> tableType() {
    return NgramTable.class;
  }

  @Override
  public List<SinkConfig> sinks() {
    return List.of();
  }

  @Override
  public TableWindows windows() {
    return windows;
  }

  @Override
  public String group(Envelope record) {
    return record.getSentence().getFeed();
  }

  @Override
  public int size(Envelope record) {
    return record.getSentence().getText().length();
  }

  @Override
  public int batchBytes() {
    return 16;
  }

  @Override
  public String line(NgramTable table) {
    return table.toString();
  }

  @Override
  public String key(NgramTable table) {
    return table.getFeed();
  }

  @Override
  public Instant time(NgramTable table) {
    return table.getEnd();
  }

  @Override
  public NgramTable smaller(NgramTable table) {
    throw new UnsupportedOperationException();
  }
}
