package io.latimer.e2e.chaos;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.config.ConfigResource;

/** The transactions and the topics of the broker, as an administrator sees them. */
final class Transactions implements AutoCloseable {
  private static final Set<TransactionState> OPEN =
      Set.of(
          TransactionState.ONGOING,
          TransactionState.PREPARE_COMMIT,
          TransactionState.PREPARE_ABORT,
          TransactionState.PREPARE_EPOCH_FENCE);
  private static final int SECONDS = 5;
  private static final String MOST_BYTES = "max.message.bytes";

  private final Admin admin;

  Transactions(String bootstrapServers) {
    admin =
        Admin.create(
            Map.of("bootstrap.servers", bootstrapServers, "reconnect.backoff.max.ms", "500"));
  }

  /** Whether the broker says within seconds that a transaction is open. */
  boolean isAnyOpen() throws InterruptedException {
    try {
      return !open().isEmpty();
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** The ids of transactions that are neither committed nor aborted. */
  List<String> open() throws InterruptedException, ExecutionException, TimeoutException {
    return admin
        .listTransactions(new ListTransactionsOptions().filterStates(OPEN))
        .all()
        .get(SECONDS, TimeUnit.SECONDS)
        .stream()
        .map(TransactionListing::transactionalId)
        .toList();
  }

  /** Sets how long a record of a topic may be. */
  void limit(String topic, int mostBytes) throws InterruptedException, ExecutionException {
    Collection<AlterConfigOp> set =
        List.of(
            new AlterConfigOp(
                new ConfigEntry(MOST_BYTES, Integer.toString(mostBytes)),
                AlterConfigOp.OpType.SET));
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    admin.incrementalAlterConfigs(Map.of(resource, set)).all().get();
  }

  @Override
  public void close() {
    admin.close();
  }
}
