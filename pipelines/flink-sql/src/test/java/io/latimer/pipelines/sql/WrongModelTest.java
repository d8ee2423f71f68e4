package io.latimer.pipelines.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latimer.operators.testing.ShippedModel;
import java.util.Map;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Wrong models are refused when a query is planned, and the message says what is wrong. */
@Timeout(120)
class WrongModelTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  private static final String TRANSLATE =
      "'task' = 'translate', 'model' = '" + ShippedModel.path() + "'";

  private StreamTableEnvironment session;

  @BeforeEach
  void session() {
    session = CLUSTER.session(true, 1, Map.of());
    session.executeSql("CREATE TEMPORARY VIEW feed AS SELECT 'hi' AS text");
  }

  /** The messages of an exception and its causes. */
  static String messages(ThrowingCallable call) {
    StringBuilder all = new StringBuilder();
    for (Throwable e = catchThrowable(call); e != null; e = e.getCause()) {
      all.append(e.getMessage()).append('\n');
    }
    return all.toString();
  }

  private String planning(String output, String options) {
    return planning("text STRING", output, options, "");
  }

  private String planning(String input, String output, String options, String query) {
    session.executeSql(
        "CREATE MODEL m INPUT ("
            + input
            + ") OUTPUT ("
            + output
            + ") WITH ('provider' = 'latimer', "
            + options
            + ")");
    return messages(
        () ->
            session.explainSql(
                "SELECT * FROM ML_PREDICT(TABLE feed, MODEL m, DESCRIPTOR(text)" + query + ")"));
  }

  private static final String GOOD = "target STRING, error STRING";

  @Test
  void aGoodModelIsPlanned() {
    assertThat(planning(GOOD, TRANSLATE)).isEmpty();
  }

  @Test
  void optionsAreThoseOfAJobFile() {
    assertThat(planning(GOOD, TRANSLATE + ", 'baem' = '3', 'nbest' = 'x'"))
        .contains("model default_catalog.default_database.m: 2 problems")
        .contains("baem: \"baem\" is not a valid name here; did you mean \"beam\"?")
        .contains("nbest: expected a whole number from 1 to 64, found \"x\"");
  }

  @Test
  void theTaskIsRequiredAndKnown() {
    assertThat(planning(GOOD, "'model' = 'x'")).contains("task: required");
    session.executeSql("DROP MODEL m");
    assertThat(planning(GOOD, "'task' = 'translat'")).contains("task: expected one of translate");
  }

  @Test
  void theModelFileIsRequiredAndExists() {
    assertThat(planning(GOOD, "'task' = 'translate'")).contains("model: required");
    session.executeSql("DROP MODEL m");
    assertThat(planning(GOOD, "'task' = 'translate', 'model' = '/no/such.lmx'"))
        .contains("/no/such.lmx")
        .contains("does not exist");
    session.executeSql("DROP MODEL m");
    assertThat(planning("score DOUBLE, error STRING", TRANSLATE.replace("translate", "score")))
        .contains("expected an index of kind language-model");
  }

  @Test
  void theFileOfAnyTaskIsAnIndex() {
    String path = ShippedModel.path().toString();
    assertThat(planning(GOOD, "'task' = 'translate', 'index' = '" + path + "'")).isEmpty();
    session.executeSql("DROP MODEL m");
    assertThat(planning(GOOD, TRANSLATE + ", 'index' = '" + path + "'"))
        .contains("index: is another name of model; give only one of them");
    session.executeSql("DROP MODEL m");
    assertThat(planning(GOOD, "'task' = 'identity', 'index' = '" + path + "'"))
        .contains("index: \"index\" is not a valid name here");
  }

  @Test
  void columnsAreThoseOfTheTask() {
    assertThat(planning("translated STRING, score FLOAT, error STRING", TRANSLATE))
        .contains("OUTPUT: the task translate has no column `translated`; its columns are target,")
        .contains("OUTPUT: column `score` must have the type DOUBLE, found FLOAT");
    session.executeSql("DROP MODEL m");
    assertThat(planning("target STRING NOT NULL, error STRING", TRANSLATE))
        .contains("column `target` must have the type STRING, found STRING NOT NULL");
  }

  @Test
  void theErrorColumnIsRequiredUnlessTheModelSaysWhatElse() {
    assertThat(planning("target STRING", TRANSLATE))
        .contains("the column `error` STRING is missing");
    session.executeSql("DROP MODEL m");
    assertThat(planning("target STRING", TRANSLATE + ", 'on-error' = 'null'")).isEmpty();
    session.executeSql("DROP MODEL m");
    assertThat(planning("target STRING", TRANSLATE + ", 'on-error' = 'ignore'"))
        .contains("on-error: expected one of column, null, fail, found \"ignore\"");
  }

  @Test
  void theInputIsOneText() {
    session.executeSql("DROP TEMPORARY VIEW feed");
    session.executeSql("CREATE TEMPORARY VIEW feed AS SELECT CAST('hi' AS BYTES) AS text");
    assertThat(planning("text BYTES", GOOD, TRANSLATE, ""))
        .contains("INPUT: expected one column of type STRING");
  }

  @Test
  void unknownOptionsOfAQueryAreRefused() {
    assertThat(planning("text STRING", GOOD, TRANSLATE, ", MAP['async','true','beam','3']"))
        .contains("ML_PREDICT has no option beam");
  }

  @Test
  void synchronousCallsAreRefused() {
    assertThat(planning("text STRING", GOOD, TRANSLATE, ", MAP['async','false']"))
        .contains("support sync mode");
  }

  @Test
  void deadlineAndTimeoutGoTogether() {
    assertThat(
            planning(
                "text STRING", GOOD, TRANSLATE + ", 'deadline' = '30s'", ", MAP['timeout','20s']"))
        .contains("deadline must be below the query's timeout of 20000 ms, found 30000 ms");
  }

  @Test
  void moreCallsThanRecordsMayBeUnderWayAreRefused() {
    assertThat(
            planning(
                "text STRING",
                GOOD,
                TRANSLATE + ", 'batch.max-pending' = '100'",
                ", MAP['max-concurrent-operations','101']"))
        .contains("max-concurrent-operations is 101")
        .contains("batch.max-pending");
  }

  @Test
  void atLeastOneCallIsUnderWay() {
    assertThat(planning("text STRING", GOOD, TRANSLATE, ", MAP['max-concurrent-operations','0']"))
        .contains("max-concurrent-operations must be 1 or more, found 0");
  }

  @Test
  void batchesMustEndBeforeTheDeadline() {
    String query = ", MAP['timeout','20s']"; // the deadline is 15 s
    assertThat(planning("text STRING", GOOD, TRANSLATE + ", 'batch.max-wait' = '15s'", query))
        .contains("batch.max-wait must be below the deadline of a call, 15000 ms, found 15000 ms");
    session.executeSql("DROP MODEL m");
    assertThat(planning("text STRING", GOOD, TRANSLATE + ", 'batch.timeout' = '15s'", query))
        .contains("batch.timeout must be below the deadline of a call, 15000 ms, found 15000 ms");
    for (String timeout : new String[] {"0", "14s"}) {
      session.executeSql("DROP MODEL m");
      String options = TRANSLATE + ", 'batch.timeout' = '" + timeout + "'";
      assertThat(planning("text STRING", GOOD, options, query)).isEmpty();
    }
  }

  /** Flink takes it for none, and so is no deadline then. */
  @Test
  void aQueryWithoutTimeoutHasNoDeadline() {
    String waits = TRANSLATE + ", 'batch.max-wait' = '1d', 'batch.timeout' = '1d'";
    assertThat(planning("text STRING", GOOD, waits, ", MAP['timeout','0s']")).isEmpty();
    session.executeSql("DROP MODEL m");
    assertThat(
            planning(
                "text STRING", GOOD, TRANSLATE + ", 'deadline' = '30s'", ", MAP['timeout','0s']"))
        .isEmpty();
    session.executeSql("DROP MODEL m");
    assertThat(
            planning("text STRING", GOOD, waits + ", 'deadline' = '30s'", ", MAP['timeout','0s']"))
        .contains("batch.max-wait must be below the deadline of a call, 30000 ms");
  }

  @Test
  void onlyTheTextOfARowIsRead() {
    for (String text : new String[] {"translation", "alternatives"}) {
      assertThat(
              planning(
                  "derivable BOOLEAN, error STRING",
                  "'task' = 'grammar-check', 'grammar' = 'g.lgx', 'of' = '" + text + "'"))
          .contains("of: must be source, as a row has a text and no translation, found " + text);
      session.executeSql("DROP MODEL m");
    }
    assertThat(planning(GOOD, TRANSLATE + ", 'of' = 'translation'"))
        .contains("of: \"of\" is not a valid name here");
  }

  @Test
  void filesAreLocalOrOnAServer() {
    for (String scheme : new String[] {"s3", "hdfs", "ftp"}) {
      assertThat(
              planning(
                  GOOD,
                  "'task' = 'translate', 'model' = '"
                      + scheme
                      + "://models/m.lmx', 'sha256' = '"
                      + "ab".repeat(32)
                      + "'"))
          .contains("SQL reads no index files from " + scheme + ":");
      session.executeSql("DROP MODEL m");
    }
  }
}
