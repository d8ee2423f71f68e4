package io.latimer.cli.job;

import io.latimer.pipelines.flink.kafka.BriefAdmin;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;

/** Explains errors of brokers to users. */
final class BrokerErrors {
  private BrokerErrors() {}

  /** Whether no broker answered; another request would take just as long. */
  static boolean isSilence(Throwable cause) {
    return cause instanceof TimeoutException;
  }

  /**
   * Describes an error in one sentence: what is wrong and what to do.
   *
   * @param what the client, such as a source
   * @param servers the brokers
   * @param cause the error of the client
   */
  static String sentence(String what, String servers, Throwable cause) {
    if (isSilence(cause)) {
      return what
          + ": no Kafka answers at "
          + servers
          + " within "
          + BriefAdmin.ANSWER_MILLIS / 1000
          + " s; check that it runs, and bootstrap-servers.";
    }
    String remedy = remedy(cause);
    String message = LocalCluster.rootMessage(cause);
    String reason = remedy.isEmpty() ? message : message.replaceFirst("\\.$", "");
    return what + ": Kafka at " + servers + ": " + reason + remedy;
  }

  private static String remedy(Throwable cause) {
    if (cause instanceof SslAuthenticationException) {
      return "; check the properties that begin with ssl.";
    }
    if (cause instanceof AuthenticationException) {
      return "; check the properties that begin with sasl.";
    }
    if (cause instanceof AuthorizationException) {
      return "; the user of these properties needs Describe on the topic, and Create to create it.";
    }
    if (cause instanceof InvalidReplicationFactorException) {
      return "; set --replication-factor to at most the number of brokers.";
    }
    return "";
  }
}
