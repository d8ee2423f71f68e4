package io.latimer.pipelines.flink.sink;

import java.io.Serializable;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.TransactionDescription;

/** Queries brokers about transactional ids. */
interface TransactionCoordinator extends AutoCloseable {
  /**
   * Describes the latest transaction of an id.
   *
   * @throws ExecutionException with the reason if the broker does not answer or refuses
   */
  TransactionDescription describe(String transactionalId)
      throws InterruptedException, ExecutionException;

  /**
   * Whether a commit raises the id's epoch.
   *
   * @throws ExecutionException with the reason if the broker does not answer
   */
  boolean commitRaisesEpoch() throws InterruptedException, ExecutionException;

  @Override
  void close();

  /** The address of the coordinator; unlike the connection, it is serializable. */
  final class Address implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Properties properties;

    /**
     * Creates an address.
     *
     * @param properties the sink's client properties, such as bootstrap servers, SASL and SSL
     */
    Address(Properties properties) {
      this.properties = new Properties();
      this.properties.putAll(properties);
    }

    TransactionCoordinator coordinator() {
      return new Brokers(properties);
    }
  }

  /** Connects lazily on the first query, which most jobs never make. */
  final class Brokers implements TransactionCoordinator {
    private static final String FEATURE = "transaction.version";

    private final Properties properties;
    private Admin admin;

    private Brokers(Properties properties) {
      this.properties = properties;
    }

    private Admin admin() {
      if (admin == null) {
        admin = Admin.create(properties);
      }
      return admin;
    }

    @Override
    public TransactionDescription describe(String transactionalId)
        throws InterruptedException, ExecutionException {
      return admin()
          .describeTransactions(List.of(transactionalId))
          .description(transactionalId)
          .get();
    }

    @Override
    public boolean commitRaisesEpoch() throws InterruptedException, ExecutionException {
      FinalizedVersionRange version =
          admin().describeFeatures().featureMetadata().get().finalizedFeatures().get(FEATURE);
      return version != null && version.maxVersionLevel() >= 2;
    }

    @Override
    public void close() {
      if (admin != null) {
        admin.close();
        admin = null;
      }
    }
  }
}
