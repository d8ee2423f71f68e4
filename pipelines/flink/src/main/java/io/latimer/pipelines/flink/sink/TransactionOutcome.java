package io.latimer.pipelines.flink.sink;

import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;

/**
 * The outcome of a transaction that cannot be committed, derived from the broker's view of its id.
 *
 * <p>The state contains the producer epoch of a transaction. The broker raises the epoch of an id
 * by one when the id is initialized for the next transaction, when it aborts a transaction that has
 * timed out, and, from feature {@code transaction.version} 2 (Kafka 4.0), when a transaction is
 * committed or aborted. So, relative to the epoch in the state:
 *
 * <table>
 *   <caption>State and epoch of an id</caption>
 *   <tr><th>what happened<th>version 2<th>versions 0 and 1
 *   <tr><td>committed<td>committed, + 1<td>committed, + 0
 *   <tr><td>time over<td>aborted, + 1<td>aborted, + 1
 *   <tr><td>committed, and its id initialized again<td>+ 2 or more<td>+ 1 or more
 *   <tr><td>aborted by another start of the job<td>+ 2 or more<td>+ 2 or more
 * </table>
 *
 * <p>The last two rows cannot be told apart from + 2 on: brokers know only the latest transaction
 * of an id. A running job uses an id again only after its transaction was committed. So the last
 * row needs a start without this state, which aborts what it finds open, and then a start with it.
 */
enum TransactionOutcome {
  COMMITTED,
  ABORTED,
  /** {@link #ABORTED} or {@link #ID_USED_AGAIN}: version 1 looks alike for both. */
  ABORTED_OR_ID_USED_AGAIN,
  ID_USED_AGAIN,
  /** It can still be committed. */
  OPEN,
  /** The broker has lost data, or it is another cluster. */
  UNKNOWN;

  /**
   * Finds the outcome.
   *
   * @param transaction as in the state
   * @param id what the broker says of its id
   * @param commitRaisesEpoch whether the broker's {@code transaction.version} is 2 or more
   */
  static TransactionOutcome of(
      KafkaCommittable transaction, TransactionDescription id, boolean commitRaisesEpoch) {
    if (id.producerId() != transaction.getProducerId()) {
      // brokers give an id another producer id once its epochs are used up or it has expired
      return ID_USED_AGAIN;
    }
    boolean committed = isCommitted(id.state());
    return switch (id.producerEpoch() - transaction.getEpoch()) {
      case 0 -> committed ? COMMITTED : isAborted(id.state()) ? ABORTED : still(id.state());
      case 1 ->
          committed
              ? COMMITTED
              : !isAborted(id.state())
                  ? ID_USED_AGAIN
                  : commitRaisesEpoch ? ABORTED : ABORTED_OR_ID_USED_AGAIN;
      default -> id.producerEpoch() > transaction.getEpoch() ? ID_USED_AGAIN : UNKNOWN;
    };
  }

  private static boolean isCommitted(TransactionState state) {
    return state == TransactionState.COMPLETE_COMMIT || state == TransactionState.PREPARE_COMMIT;
  }

  private static boolean isAborted(TransactionState state) {
    return state == TransactionState.COMPLETE_ABORT
        || state == TransactionState.PREPARE_ABORT
        || state == TransactionState.PREPARE_EPOCH_FENCE;
  }

  private static TransactionOutcome still(TransactionState state) {
    return state == TransactionState.ONGOING ? OPEN : UNKNOWN;
  }
}
