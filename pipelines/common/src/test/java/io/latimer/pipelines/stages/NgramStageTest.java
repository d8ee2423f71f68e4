package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.CountedNgram;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NgramStageTest {
  private static JobConfig job(String settings, String more) {
    String yaml =
        "name: news\nsource: {list: {lines: []}}\nstages: [{ngrams: {" + settings + "}}]\n" + more;
    return JobConfigReader.read(yaml, "job.yaml", Path.of("/jobs"));
  }

  private static NgramStage stage(String settings) {
    NgramStage stage = (NgramStage) job(settings, "").newStages().get(0);
    stage.open(Device.CPU, new ResidentIndexes());
    return stage;
  }

  private static byte[] counted(NgramStage stage, String... texts) {
    try (Accumulator accumulator = stage.accumulator()) {
      accumulator.add(Arrays.stream(texts).map(text -> Records.envelope(0, text)).toList());
      return accumulator.take();
    }
  }

  private static NgramTable table(NgramStage stage, byte[] counts) {
    return stage.table(new TableScope("wire", false, 1_000, 2_000, 0, 3, 1), counts);
  }

  private static Map<String, Long> map(NgramTable table) {
    return table.getTop().stream()
        .collect(Collectors.toMap(CountedNgram::getNgram, CountedNgram::getCount));
  }

  @Test
  void aTableHasTheMostFrequentNgramsByCountAndThenByText() {
    NgramStage stage = stage("order: 2, top: 3");
    NgramTable table = table(stage, counted(stage, "b a  b a", "z y", "é a\tb", ""));
    assertThat(table.getTop())
        .containsExactly(
            new CountedNgram("a b", 2L), new CountedNgram("b a", 2L), new CountedNgram("z y", 1L));
    assertThat(table.getTotal()).isEqualTo(6);
    assertThat(table.getDistinct()).isEqualTo(4);
    assertThat(table.getJob()).isEqualTo("news");
    assertThat(table.getStage()).isEqualTo("ngrams");
    assertThat(table.getFeed()).isEqualTo("wire");
    assertThat(table.getUnit()).isEqualTo("words");
    assertThat(stage.time(table).toEpochMilli()).isEqualTo(1_999);
    assertThat(stage.key(table)).isEqualTo("ngrams/wire");
    assertThat(stage.line(table))
        .isEqualTo(
            "window\twire\t1970-01-01T00:00:01Z\t1970-01-01T00:00:02Z\t0\t3\t6\t4\t1"
                + "\ta b\t2\tb a\t2\tz y\t1");
  }

  @Test
  void bytesAreEscapedWhereTheyAreNoText() {
    NgramStage stage = stage("unit: bytes, order: 1, top: 100");
    NgramTable table = table(stage, counted(stage, "\\aé\na"));
    assertThat(map(table).keySet()).containsExactlyInAnyOrder("a", "\\xc3", "\\xa9", "\\\\", "\\n");
  }

  /** As the command line prints them; NgramsCommandTest uses the same words. */
  @Test
  void wordsAreEscapedLikeBytes() {
    NgramStage stage = stage("order: 2");
    NgramTable table = table(stage, counted(stage, "c:\\new a\u001bb\u2028 \u00e9\ud83d\ude00"));
    assertThat(map(table))
        .isEqualTo(
            Map.of(
                "c:\\\\new a\\x1bb\\xe2\\x80\\xa8",
                1L,
                "a\\x1bb\\xe2\\x80\\xa8 \u00e9\ud83d\ude00",
                1L));
    assertThat(stage.line(table)).doesNotContain("\u001b", "\u2028");
  }

  @Test
  void wordsKeepVerticalTabsAndFormFeedsAsInLmplz() {
    NgramStage stage = stage("order: 1");
    assertThat(map(table(stage, counted(stage, "a\u000bb\u0000c a\fb"))).keySet())
        .containsExactlyInAnyOrder("a\\x0bb", "c", "a\\x0cb");
  }

  /** The bytes that docs/formats.md specifies. */
  @Test
  void aSnapshotHasItsCountsAndThenItsWords() {
    byte[] bytes = counted(stage("order: 1"), "\u00e9 a \u00e9");
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte[] magic = new byte[4];
    in.get(magic);
    assertThat(magic).isEqualTo(new byte[] {'L', 'N', 'S', '1'});
    byte[] table = new byte[in.getInt()];
    in.get(table);
    NgramCounts counts = NgramCounts.fromBytes(table);
    assertThat(counts.size()).isEqualTo(2);
    assertThat(in.getInt()).isEqualTo(2);
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      byte[] word = new byte[in.getInt()];
      in.get(word);
      words.add(new String(word, StandardCharsets.UTF_8));
    }
    assertThat(in.remaining()).isZero();
    assertThat(words).containsExactly("a", "\u00e9");
    assertThat(counts.word(0, 0)).isZero();
    assertThat(counts.count(0)).isEqualTo(1);
    assertThat(counts.count(1)).isEqualTo(2);
  }

  @Test
  void theLatestTextIsCountedOrTheSource() {
    Envelope envelope = Records.envelope(0, "source");
    Stage identity = Stages.of(Stages.config("identity"), BatchStages.JOB);
    Envelope translated = BatchStages.apply((BatchStage) identity, List.of(envelope), 0).get(0);
    translated.getTranslation().setText("target");
    assertThat(stage("order: 1").text(envelope)).isEqualTo("source");
    assertThat(stage("order: 1").text(translated)).isEqualTo("target");
    assertThat(stage("order: 1, text: source").text(translated)).isEqualTo("source");
  }

  @Test
  void feedsAreCountedTogetherOrApart() {
    Envelope envelope = Records.envelope(0, "a");
    assertThat(stage("order: 1").group(envelope)).isEmpty();
    assertThat(stage("order: 1, by-feed: true").group(envelope)).isEqualTo("feed");
  }

  /** Independent of the ids used while counting and of the order of merging. */
  @ParameterizedTest
  @CsvSource({"words,1", "words,2", "words,5", "bytes,1", "bytes,3", "bytes,8"})
  void mergedPartsEqualTheWhole(String unit, int order) {
    NgramStage stage = stage("unit: " + unit + ", order: " + order + ", top: 100000");
    Random random = new Random(order);
    Map<String, Long> expected = new TreeMap<>();
    List<byte[]> parts = new ArrayList<>();
    List<String> all = new ArrayList<>();
    for (int part = 0; part < 7; part++) {
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        List<String> words = new ArrayList<>();
        for (int w = random.nextInt(9); w > 0; w--) {
          words.add("w" + random.nextInt(1 + 5 * part + i));
        }
        texts.add(String.join(" ", words));
        count(expected, unit, order, words);
      }
      all.addAll(texts);
      parts.add(counted(stage, texts.toArray(String[]::new)));
    }
    parts.add(counted(stage));
    byte[] merged = stage.merge(parts);
    assertThat(map(table(stage, merged))).isEqualTo(expected);
    List<byte[]> otherWay = new ArrayList<>(parts);
    java.util.Collections.shuffle(otherWay, random);
    byte[] first = stage.merge(otherWay.subList(0, 3));
    byte[] rest = stage.merge(otherWay.subList(3, 8));
    assertThat(stage.merge(List.of(rest, first))).isEqualTo(merged);
    assertThat(counted(stage, all.toArray(String[]::new))).isEqualTo(merged);
  }

  private static void count(Map<String, Long> counts, String unit, int order, List<String> words) {
    String text = String.join(" ", words);
    int units = unit.equals("bytes") ? text.length() : words.size();
    for (int i = 0; i + order <= units; i++) {
      String ngram =
          unit.equals("bytes")
              ? text.substring(i, i + order)
              : String.join(" ", words.subList(i, i + order));
      counts.merge(ngram, 1L, Long::sum);
    }
  }

  @Test
  void anAccumulatorBeginsAnewWhenItIsTaken() {
    NgramStage stage = stage("order: 1");
    try (Accumulator accumulator = stage.accumulator()) {
      accumulator.add(List.of(Records.envelope(0, "b a")));
      accumulator.take();
      accumulator.add(List.of(Records.envelope(0, "c a")));
      assertThat(map(table(stage, accumulator.take()))).isEqualTo(Map.of("a", 1L, "c", 1L));
      assertThat(map(table(stage, accumulator.take()))).isEmpty();
    }
  }

  @Test
  void damagedSnapshotsAreRefused() {
    NgramStage stage = stage("order: 2");
    byte[] counts = counted(stage, "a b c");
    for (int length = 0; length < counts.length; length++) {
      byte[] cut = Arrays.copyOf(counts, length);
      assertThatThrownBy(() -> table(stage, cut)).isInstanceOf(OperatorException.class);
    }
    byte[] newer = counts.clone();
    newer[3]++;
    assertThatThrownBy(() -> table(stage, newer)).hasMessageContaining("another version");
    byte[] longer = Arrays.copyOf(counts, counts.length + 1);
    assertThatThrownBy(() -> table(stage, longer)).hasMessageContaining("1 surplus bytes");
    byte[] falling = counts.clone();
    falling[falling.length - 1] = 'a'; // a b c
    assertThatThrownBy(() -> table(stage, falling)).hasMessageContaining("word 2 is out of order");
    byte[] fewWords = counts.clone();
    fewWords[fewWords.length - 16] = 2; // 3 words of 5 bytes each, preceded by their number
    assertThatThrownBy(() -> table(stage, fewWords)).isInstanceOf(OperatorException.class);
  }

  @Test
  void aStageTravelsToItsTasksWithoutItsSinks() throws Exception {
    NgramStage stage = stage("unit: bytes, order: 3, strategy: hash, window: 3s, slide: 2s");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(stage);
    }
    NgramStage arrived;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      arrived = (NgramStage) in.readObject();
    }
    assertThat(arrived.windows()).isEqualTo(new TableWindows(3_000, 2_000, 0, true));
    assertThatThrownBy(arrived::accumulator).hasMessageContaining("not open");
    arrived.open(Device.CPU, new ResidentIndexes());
    assertThat(counted(arrived, "abc")).isEqualTo(counted(stage, "abc"));
  }

  @Test
  void aTableBecomesSmallerUntilItListsNothing() {
    NgramStage stage = stage("order: 1");
    NgramTable table = table(stage, counted(stage, "a b c a"));
    NgramTable smaller = stage.smaller(table);
    assertThat(smaller.getTop()).containsExactly(new CountedNgram("a", 2L));
    assertThat(smaller.getDistinct()).isEqualTo(3);
    NgramTable smallest = stage.smaller(smaller);
    assertThat(smallest.getTop()).isEmpty();
    assertThatThrownBy(() -> stage.smaller(smallest)).isInstanceOf(OperatorException.class);
  }

  @Test
  void itsSinksHaveNamesAndTransactionsOfTheirOwn() {
    String sinks = "sinks: [{kafka: {topic: t}}, {kafka: {topic: u, name: b}}, print]";
    assertThat(((NgramStage) job("order: 1, " + sinks, "").newStages().get(0)).sinks())
        .containsExactly(
            kafka("ngrams/kafka", "t", "news:ngrams/kafka:"),
            kafka("ngrams/b", "u", "news:ngrams/b:"),
            new SinkConfig.Print("ngrams/print", Format.TEXT));
    // a job whose tables have sinks needs none for its records
    assertThat(job("order: 1", "sinks: []\n").sinks()).isEmpty();
    assertThat(job("order: 1, " + sinks, "").toYaml()).contains("topic: u");
  }

  private static SinkConfig.Kafka kafka(String name, String topic, String prefix) {
    return new SinkConfig.Kafka(
        name, "localhost:9092", topic, Format.AVRO, true, prefix, false, ClientProperties.NONE);
  }

  @Test
  void settingsThatDoNotGoTogetherAreRefusedWithTheirLine() {
    assertRefused("order: 6", "line 3: stages[0].ngrams: ", "order of 1 to 5");
    assertRefused("order: 9", "from 1 to 8");
    assertRefused("unit: bytes, order: 9", "from 1 to 8");
    assertRefused("unit: bytes, strategy: v1", "one of auto, sort, hash");
    assertRefused("window: 1s, slide: 2s", "would leave gaps");
    assertRefused("window: 1d, slide: 7ms", "panes");
    assertRefused("sinks: []", "no sink");
    assertRefused("sinks: [print, print]", "stages: duplicate name \"ngrams/print\"");
    assertRefused(
        "sinks: [{kafka: {topic: a, transactional-id-prefix: x}}, {kafka: {topic: b, name: b,"
            + " transactional-id-prefix: x}}]",
        "sinks: duplicate transactional-id-prefix");
    assertThatThrownBy(
            () ->
                job("sinks: [{kafka: {topic: a}}]", "checkpoints: {interval: 0}\nsinks: [print]\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("sink ngrams/kafka is exactly-once");
  }

  private static void assertRefused(String settings, String... messages) {
    assertThatThrownBy(() -> job(settings, ""))
        .isInstanceOf(ConfigException.class)
        .message()
        .contains(messages);
  }
}
