package io.latimer.pipelines.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.pipelines.shared.SharedStages;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.ApiExpression;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Expressions;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.ColumnList;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real SQL on a mini cluster gives what the operators give. */
@Timeout(180)
class PredictTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  /** What {@code latimer translate} prints for these lines, one for one. */
  private static final Map<String, String> GOLDEN =
      Map.of(
          "I'm looking for a present for my wife.",
          "Ich suche ein Geschenk für meine Frau.",
          "Don't touch that! It's still hot.",
          "Fass das nicht an! Es ist noch heiß.",
          "",
          "",
          "The moon is very bright tonight. 🌕",
          "Der Mond ist heute Abend sehr hell. 🌕",
          "hi",
          "Hallo",
          "On 2026-11-22 at 14:30 the price was $1,234.56.",
          "Am 2026-11-22 um 14:30 Uhr betrug der Preis 1.234,56\u00a0$.");

  @TempDir Path folder;

  /** A query may return before its tasks have closed. */
  @AfterEach
  void nothingStaysOpen() throws Exception {
    while (SharedStages.process().size() > 0 || !threads().isEmpty()) {
      Thread.sleep(10);
    }
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains(" of shared ") || name.startsWith("deadlines of "))
        .toList();
  }

  private static StreamTableEnvironment session(boolean batch) {
    return CLUSTER.session(batch, 2, Map.of());
  }

  private static void texts(StreamTableEnvironment session, List<String> texts) {
    ApiExpression[] rows =
        texts.stream().map(text -> Expressions.row(text)).toArray(ApiExpression[]::new);
    Table table =
        session.fromValues(
            DataTypes.ROW(DataTypes.FIELD("text", DataTypes.STRING())), (Object[]) rows);
    session.createTemporaryView("feed", table);
  }

  private static String translator(String columns, String options) {
    return "CREATE MODEL en_de INPUT (text STRING) OUTPUT ("
        + columns
        + ") WITH ('provider' = 'latimer', 'task' = 'translate', 'model' = '"
        + ShippedModel.path()
        + "'"
        + options
        + ")";
  }

  private static String predict(String model) {
    return "SELECT * FROM ML_PREDICT(TABLE feed, MODEL " + model + ", DESCRIPTOR(text))";
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void translationsAreThoseOfTheCommandLine(boolean batch) throws Exception {
    StreamTableEnvironment session = session(batch);
    texts(session, List.copyOf(GOLDEN.keySet()));
    session.executeSql(translator("target STRING, error STRING", ""));

    List<Row> rows = Cluster.rows(session, predict("en_de"));

    assertThat(rows).hasSameSizeAs(GOLDEN.keySet());
    for (Row row : rows) {
      assertThat(row.getField("target")).isEqualTo(GOLDEN.get(row.getField("text")));
      assertThat(row.getField("error")).isNull();
    }
  }

  @Test
  void filesAreTranslatedToFiles() throws Exception {
    Path in = Files.createDirectory(folder.resolve("in"));
    Path out = folder.resolve("out");
    Files.write(in.resolve("one.txt"), List.of("hi"));
    Files.write(in.resolve("two.txt"), List.of("The moon is very bright tonight. 🌕", "hi"));
    StreamTableEnvironment session = session(true);
    session.executeSql(
        "CREATE TABLE feed (text STRING) WITH ('connector' = 'filesystem', 'format' = 'raw',"
            + " 'path' = '"
            + in
            + "')");
    session.executeSql(
        "CREATE TABLE translated (target STRING) WITH ('connector' = 'filesystem', 'format' ="
            + " 'raw', 'path' = '"
            + out
            + "')");
    session.executeSql(translator("target STRING", ", 'on-error' = 'fail'"));

    session
        .executeSql(
            "INSERT INTO translated SELECT target FROM ML_PREDICT(TABLE feed, MODEL en_de,"
                + " DESCRIPTOR(text))")
        .await();

    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.walk(out)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    assertThat(lines)
        .containsExactlyInAnyOrder("Hallo", "Hallo", "Der Mond ist heute Abend sehr hell. 🌕");
  }

  @Test
  void allColumnsOfATranslationAreThoseOfTheOperator() throws Exception {
    List<String> texts =
        Files.readAllLines(
            Path.of(System.getProperty("latimer.root"), "examples/feeds/everyday.en.txt"));
    StreamTableEnvironment session = session(false);
    texts(session, texts.subList(0, 40));
    session.executeSql(
        translator(
            "target STRING, score DOUBLE, normalized_score DOUBLE, alternatives ARRAY<ROW<target"
                + " STRING, score DOUBLE, normalized_score DOUBLE>>, alignment ARRAY<ROW<source_word"
                + " INT, target_word INT, weight FLOAT>>, target_language STRING, source_tokens INT,"
                + " target_tokens INT, model_id STRING, model_version STRING, error STRING",
            ", 'beam' = '3', 'nbest' = '2', 'scores' = 'true', 'alignment' = 'true'"));

    List<Row> rows = Cluster.rows(session, predict("en_de"));

    assertThat(rows).hasSize(40);
    try (Translate translate =
        Translate.opener(
                TranslateOptions.of(DecodeOptions.beam(3).withNBest(2).withAlignment(true)))
            .open(ShippedModel.path(), Device.CPU)) {
      for (Row row : rows) {
        Translated expected =
            translate.apply(List.of((String) row.getField("text"))).get(0).orElseThrow();
        assertThat(row.getField("target")).isEqualTo(expected.text());
        assertThat((Double) row.getField("score")).isEqualTo(expected.score());
        assertThat((Double) row.getField("normalized_score")).isEqualTo(expected.normalizedScore());
        Row[] alternatives = (Row[]) row.getField("alternatives");
        assertThat(alternatives).hasSize(2);
        assertThat(alternatives[0].getField(0)).isEqualTo(expected.text());
        assertThat(alternatives[1].getField(0)).isEqualTo(expected.nBest().get(1).text());
        assertThat((Row[]) row.getField("alignment")).hasSize(expected.alignment().size());
        assertThat(row.getField("target_language")).isEqualTo("de");
        assertThat((Integer) row.getField("source_tokens")).isPositive();
        assertThat((Integer) row.getField("target_tokens")).isPositive();
        assertThat((String) row.getField("model_id")).matches("[0-9a-f]{64}");
        assertThat(row.getField("model_version")).isEqualTo("tatoeba-en-de 4");
        assertThat(row.getField("error")).isNull();
      }
    }
  }

  @Test
  void phrasesAndALanguageModelTranslate() throws Exception {
    ParallelText text =
        ParallelText.of(
            "the house is small . ||| das haus ist klein . ||| 0-0 1-1 2-2 3-3 4-4",
            "the mouse ||| die maus ||| 0-0 1-1");
    Path index = text.index(folder, "index.lpx");
    Path model = folder.resolve("model.llm");
    LanguageModels.estimate(List.of("das haus ist klein .", "die maus ist klein ."), model);
    StreamTableEnvironment session = session(true);
    texts(session, List.of("The mouse is small."));
    session.executeSql(
        "CREATE MODEL en_de INPUT (text STRING) OUTPUT (target STRING, target_language STRING,"
            + " error STRING) WITH ('provider' = 'latimer', 'task' = 'translate', 'phrases' = '"
            + index
            + "', 'language-model' = '"
            + model
            + "', 'target-language' = 'de')");
    assertThat(Cluster.rows(session, predict("en_de")))
        .containsExactly(Row.of("The mouse is small.", "Die maus ist klein.", "de", null));
  }

  @Test
  void textsAreScored() throws Exception {
    Path model = folder.resolve("model.llm");
    LanguageModels.estimate(List.of("the ship sails at dawn", "the harbour is quiet"), model);
    List<String> texts = List.of("the ship is quiet", "a zebra sails");
    StreamTableEnvironment session = session(true);
    texts(session, texts);
    session.executeSql(
        "CREATE MODEL lm INPUT (text STRING) OUTPUT (words INT, score DOUBLE, perplexity DOUBLE,"
            + " perplexity_of_known DOUBLE, unknown_words INT, model_id STRING, model_version"
            + " STRING, error STRING) WITH ('provider' = 'latimer', 'task' = 'score', 'model' = '"
            + model
            + "')");

    List<Row> rows = Cluster.rows(session, predict("lm"));

    assertThat(rows).hasSize(2);
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      for (Row row : rows) {
        Scored expected =
            score.apply(List.of((String) row.getField("text"))).stream()
                .map(Result::orElseThrow)
                .toList()
                .get(0);
        assertThat((Double) row.getField("score")).isEqualTo(expected.total()).isNegative();
        assertThat((Double) row.getField("perplexity")).isEqualTo(expected.perplexity());
        assertThat((Double) row.getField("perplexity_of_known"))
            .isEqualTo(expected.perplexityOfKnown());
        assertThat((Integer) row.getField("words")).isEqualTo(expected.tokens());
        assertThat((Integer) row.getField("unknown_words")).isEqualTo(expected.unknown());
        assertThat((String) row.getField("model_id")).matches("[0-9a-f]{64}");
      }
    }
  }

  private String grammar(String columns, String options) {
    Path grammar =
        GrammarFiles.index(
            folder, "doors", "start S", "v S", "v V", "v N", "b S V N", "t V open", "t N doors");
    return "CREATE MODEL doors INPUT (text STRING) OUTPUT ("
        + columns
        + ") WITH ('provider' = 'latimer', 'task' = 'grammar-check', 'max-words' = '3', 'grammar'"
        + " = '"
        + grammar
        + "'"
        + options
        + ")";
  }

  @Test
  void textsAreCheckedAndErrorsAreColumns() throws Exception {
    StreamTableEnvironment session = session(false);
    List<String> texts = new ArrayList<>(List.of("open doors", "open open", "a b c d"));
    texts.add(null);
    texts(session, texts);
    session.executeSql(
        grammar(
            "derivable BOOLEAN, words INT, roots ARRAY<STRING>, longest_prefix INT,"
                + " accepted_prefixes INT, viable INT, next_words ARRAY<STRING>, grammar_id STRING,"
                + " grammar_version STRING, error STRING",
            ""));

    List<Row> rows = Cluster.rows(session, predict("doors"));

    assertThat(rows).hasSize(4);
    for (Row row : rows) {
      String text = (String) row.getField("text");
      if (text == null) {
        for (int i = 1; i < row.getArity(); i++) {
          assertThat(row.getField(i)).isNull();
        }
      } else if (text.equals("a b c d")) {
        assertThat((String) row.getField("error")).contains("4 words");
        assertThat(row.getField("derivable")).isNull();
      } else {
        assertThat(row.getField("error")).isNull();
        assertThat(row.getField("derivable")).isEqualTo(text.equals("open doors"));
        assertThat(row.getField("words")).isEqualTo(2);
        assertThat((String) row.getField("grammar_id")).matches("[0-9a-f]{64}");
        if (text.equals("open doors")) {
          assertThat((String[]) row.getField("roots")).containsExactly("S");
          assertThat(row.getField("viable")).isNull();
        } else {
          assertThat(row.getField("viable")).isEqualTo(1);
          assertThat((String[]) row.getField("next_words")).containsExactly("doors");
        }
      }
    }
  }

  @Test
  void errorsAreNullWhereThatIsAskedFor() throws Exception {
    StreamTableEnvironment session = session(true);
    texts(session, List.of("open doors", "a b c d"));
    session.executeSql(grammar("derivable BOOLEAN", ", 'on-error' = 'null'"));
    assertThat(Cluster.rows(session, predict("doors")))
        .containsExactlyInAnyOrder(Row.of("open doors", true), Row.of("a b c d", null));
  }

  @Test
  void errorsFailTheJobWhereThatIsAskedFor() {
    StreamTableEnvironment session = session(true);
    texts(session, List.of("open doors", "a b c d"));
    session.executeSql(grammar("derivable BOOLEAN", ", 'on-error' = 'fail'"));
    assertThat(WrongModelTest.messages(() -> Cluster.rows(session, predict("doors"))))
        .contains("4 words");
  }

  /** It is another file than the one that the query was planned with: no restart heals that. */
  @Test
  void aFileThatHasChangedEndsTheJob() throws Exception {
    StreamTableEnvironment session =
        CLUSTER.session(
            false,
            1,
            Map.of(
                "restart-strategy.type", "fixed-delay",
                "restart-strategy.fixed-delay.attempts", "1000000",
                "restart-strategy.fixed-delay.delay", "1ms"));
    texts(session, List.of("open doors"));
    session.executeSql(grammar("derivable BOOLEAN, error STRING", ""));
    DataStream<Row> planned = session.toDataStream(session.sqlQuery(predict("doors")));
    planned.sinkTo(new DiscardingSink<>());

    GrammarFiles.index(folder, "doors", "start S", "v S", "t S open");

    assertThat(WrongModelTest.messages(() -> planned.getExecutionEnvironment().execute()))
        .contains("doors")
        .contains("SHA-256");
  }

  @Test
  void phrasesAreNestedRows() throws Exception {
    Path index =
        ParallelText.of(
                "the house ||| das haus ||| 0-0 1-1",
                "the house ||| das haus ||| 0-0 1-1",
                "the house ||| dies haus ||| 0-0 1-1")
            .index(folder, "index.lpx");
    StreamTableEnvironment session = session(true);
    texts(session, List.of("the house"));
    session.executeSql(
        "CREATE MODEL phrases INPUT (text STRING) OUTPUT (phrases ARRAY<ROW<place INT, words INT,"
            + " phrase STRING, occurrences BIGINT, samples INT, extractions BIGINT, coherence"
            + " DOUBLE, targets ARRAY<ROW<target STRING, occurrences INT, probability DOUBLE,"
            + " lex_target DOUBLE, lex_source DOUBLE>>>>, omitted_phrases INT,"
            + " omitted_translations INT, index_id STRING, index_version STRING, error STRING) WITH"
            + " ('provider' = 'latimer', 'task' = 'phrases', 'index' = '"
            + index
            + "')");

    Row row = Cluster.rows(session, predict("phrases")).get(0);

    assertThat(row.getField("omitted_phrases")).isEqualTo(0);
    List<String> found = new ArrayList<>();
    for (Row phrase : (Row[]) row.getField("phrases")) {
      for (Row target : (Row[]) phrase.getField(7)) {
        found.add(phrase.getField(2) + " -> " + target.getField(0) + "/" + target.getField(1));
      }
    }
    assertThat(found)
        .containsExactlyInAnyOrder(
            "the -> das/2",
            "the -> dies/1",
            "house -> haus/3",
            "the house -> das haus/2",
            "the house -> dies haus/1");
  }

  /** No machine translates these texts in that time. */
  @Test
  void aCallThatTakesTooLongIsAnError() throws Exception {
    StreamTableEnvironment session = session(false);
    String text = "The moon is very bright tonight, and the harbour is quiet. ".repeat(10);
    texts(session, List.of(text + 1, text + 2));
    session.executeSql(
        translator(
            "target STRING, error STRING",
            ", 'deadline' = '2ms', 'batch.max-wait' = '1ms', 'batch.timeout' = '0'"));
    long before = refused();
    List<Row> rows = Cluster.rows(session, predict("en_de"));
    assertThat(rows).hasSize(2);
    for (Row row : rows) {
      assertThat(row.getField("target")).isNull();
      assertThat((String) row.getField("error")).contains("translate did not answer in 2 ms");
    }
    assertThat(refused()).isEqualTo(before + 2);
  }

  /** Far more rows are late than may be under way: those given up do not count. */
  @Test
  void lateRowsTakeNoPlaces() throws Exception {
    StreamTableEnvironment session = CLUSTER.session(false, 1, Map.of());
    String text = "The moon is very bright tonight, and the harbour is quiet. ".repeat(10);
    texts(session, IntStream.range(0, 200).mapToObj(i -> text + i).toList());
    session.executeSql(
        translator(
            "target STRING, error STRING",
            ", 'deadline' = '2ms', 'batch.max-wait' = '1ms', 'batch.timeout' = '0',"
                + " 'batch.max-records' = '1', 'batch.max-pending' = '8'"));
    assertThat(
            Cluster.rows(
                session,
                "SELECT * FROM ML_PREDICT(TABLE feed, MODEL en_de, DESCRIPTOR(text),"
                    + " MAP['max-concurrent-operations', '8', 'output-mode', 'ALLOW_UNORDERED'])"))
        .hasSize(200);
  }

  /** Each task fetches it once; the query is planned without it. */
  @Test
  void aModelMayBeOnAServer() throws Exception {
    byte[] model = Files.readAllBytes(ShippedModel.path());
    String sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(model));
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/en-de.lmx",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(200, model.length);
          exchange.getResponseBody().write(model);
          exchange.close();
        });
    server.start();
    try {
      StreamTableEnvironment session = session(false);
      texts(session, List.of("hi"));
      session.executeSql(
          "CREATE MODEL en_de INPUT (text STRING) OUTPUT (target STRING, error STRING) WITH"
              + " ('provider' = 'latimer', 'task' = 'translate', 'model' = 'http://localhost:"
              + server.getAddress().getPort()
              + "/en-de.lmx', 'sha256' = '"
              + sha256
              + "', 'indexes.directory' = '"
              + folder.resolve("copies")
              + "')");
      assertThat(session.explainSql(predict("en_de"))).isNotEmpty();
      assertThat(requests).hasValue(0);
      assertThat(Cluster.rows(session, predict("en_de")))
          .containsExactly(Row.of("hi", "Hallo", null));
      assertThat(requests).hasValue(1);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void rowsOfAQueryWithoutTimeoutAreNotLate() throws Exception {
    StreamTableEnvironment session =
        CLUSTER.session(false, 2, Map.of("table.exec.async-ml-predict.timeout", "0s"));
    texts(session, List.of("hi"));
    session.executeSql(translator("target STRING, error STRING", ""));
    assertThat(Cluster.rows(session, predict("en_de")))
        .containsExactly(Row.of("hi", "Hallo", null));
  }

  @Test
  void batchesHaveMetrics() throws Exception {
    StreamTableEnvironment session = session(true);
    texts(session, List.of("open doors", "open open", "a b c d"));
    session.executeSql(grammar("derivable BOOLEAN, error STRING", ""));
    long before = refused();
    Cluster.rows(session, predict("doors"));
    assertThat(refused()).isEqualTo(before + 1);
    assertThat(
            CLUSTER.metrics("batchSize").stream()
                .mapToLong(metric -> ((Histogram) metric).getStatistics().getMax())
                .max()
                .orElse(0))
        .isPositive();
    assertThat(CLUSTER.metrics("indexLoadTime")).isNotEmpty();
  }

  private static long refused() {
    return CLUSTER.metrics("deadLetters").stream()
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  @Test
  void aTableProgramUsesTheModel() throws Exception {
    StreamTableEnvironment session = session(false);
    texts(session, List.of("hi"));
    session.executeSql(translator("target STRING, error STRING", ""));
    Table predicted =
        session
            .fromModel("en_de")
            .predict(
                session.from("feed"),
                ColumnList.of("text"),
                Map.of("max-concurrent-operations", "64"));
    assertThat(Cluster.rows(predicted.execute())).containsExactly(Row.of("hi", "Hallo", null));
  }
}
