package io.latimer.kafka;

import java.io.IOException;

/** A separate program that starts a broker and never ends, for the test that kills it. */
final class BrokerHolder {
  private BrokerHolder() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    EmbeddedKafka kafka = EmbeddedKafka.start();
    System.out.println(kafka.pid() + " " + kafka.directory());
    Thread.sleep(Long.MAX_VALUE);
  }
}
