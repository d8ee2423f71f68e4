package io.latimer.pipelines.flink.kafka;

import io.latimer.pipelines.client.ClientProperties;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** Kafka admin clients with short time-outs, for commands whose user waits. */
public final class BriefAdmin {
  /** Maximum time for an answer. */
  public static final int ANSWER_MILLIS = 6_000;

  private BriefAdmin() {}

  /**
   * Creates a client.
   *
   * @param servers bootstrap servers
   * @param properties of a job file, such as SASL and SSL
   */
  public static Admin of(String servers, ClientProperties properties) {
    Map<String, Object> all = new HashMap<>(properties.resolve());
    all.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
    all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS / 2);
    return Admin.create(all);
  }
}
