package io.latimer.pipelines.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.shared.SharedConfig;
import io.latimer.pipelines.shared.SharedStages;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogModel;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedCatalogModel;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.AsyncPredictFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.ml.ModelProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls whose batch does not end. */
@Timeout(60)
class PredictFunctionTest {
  private AsyncPredictFunction function;

  @AfterEach
  void close() throws Exception {
    HeldStage.MAY_END.release(100);
    function.close();
    while (SharedStages.process().size() > 0) {
      Thread.sleep(1);
    }
    HeldStage.MAY_END.drainPermits();
    HeldStage.BEGUN.drainPermits();
  }

  /** The function of a query, with a batch for each row. */
  private void open(int maxPending, Map<String, String> query) throws Exception {
    ModelOptions options = ModelOptions.read(Map.of("task", "identity"), "model m");
    ResolvedSchema input = ResolvedSchema.of(Column.physical("text", DataTypes.STRING()));
    ResolvedSchema output =
        ResolvedSchema.of(
            Column.physical("target", DataTypes.STRING()),
            Column.physical("error", DataTypes.STRING()));
    CatalogModel model =
        CatalogModel.of(
            Schema.newBuilder().fromResolvedSchema(input).build(),
            Schema.newBuilder().fromResolvedSchema(output).build(),
            Map.of(),
            "");
    SharedConfig stages =
        new SharedConfig(
            "held",
            List.of(new HeldStage()),
            BatchPolicy.of(new MicroBatcher.Limits(1, 1_000, 0)),
            options.stage().timeout(),
            maxPending);
    ResolvedCatalogModel resolved = ResolvedCatalogModel.of(model, input, output);
    StageModelProvider provider =
        new StageModelProvider(
            "model m",
            stages,
            OutputRow.of(resolved, options, "model m"),
            options,
            new Configuration());
    function =
        provider.createAsyncPredictFunction(
            new ModelProvider.Context() {
              @Override
              public ResolvedCatalogModel getCatalogModel() {
                return resolved;
              }

              @Override
              public ReadableConfig runtimeConfig() {
                return Configuration.fromMap(query);
              }
            });
    function.open(new FunctionContext(null));
  }

  private CompletableFuture<Collection<RowData>> call(String text) {
    return function.asyncPredict(GenericRowData.of(StringData.fromString(text)));
  }

  /** Its rows would be lost otherwise: they are not repeated. */
  @Test
  void aDeviceThatHangsFailsTheJobBeforeItsRowsAreErrors() throws Exception {
    open(10, Map.of("timeout", "2s", "max-concurrent-operations", "10"));
    CompletableFuture<Collection<RowData>> hangs = call("hangs");
    CompletableFuture<Collection<RowData>> waits = call("waits");
    assertThatThrownBy(hangs::join)
        .cause()
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("did not finish a batch in 750 ms");
    assertThatThrownBy(waits::join).cause().isInstanceOf(OperatorException.class);
  }

  /** They are in Flink's state: a job that stops with a savepoint must not fail at its end. */
  @Test
  void rowsUnderWayAreLeftAloneWhenTheFunctionCloses() throws Exception {
    open(10, Map.of());
    CompletableFuture<Collection<RowData>> working = call("working");
    HeldStage.BEGUN.acquire();
    CompletableFuture<Collection<RowData>> waiting = call("waiting");
    HeldStage.MAY_END.release();
    assertThat(working.join()).containsExactly(row("working"));
    HeldStage.BEGUN.acquire();
    CompletableFuture<Collection<RowData>> last = call("last");

    Thread closing = new Thread(() -> closeQuietly(function));
    closing.start();
    while (SharedStages.process().size() > 0) {
      Thread.sleep(1);
    }
    HeldStage.MAY_END.release();
    closing.join();

    assertThat(waiting).isNotDone();
    assertThat(last).isNotDone();
  }

  private static RowData row(String target) {
    return GenericRowData.of(StringData.fromString(target), null);
  }

  private static void closeQuietly(AsyncPredictFunction function) {
    try {
      function.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aQueryWithoutTimeoutWaits() throws Exception {
    open(10, Map.of("timeout", "0s"));
    CompletableFuture<Collection<RowData>> call = call("x");
    HeldStage.BEGUN.acquire();
    HeldStage.MAY_END.release();
    assertThat(call.join()).containsExactly(row("x"));
  }
}
