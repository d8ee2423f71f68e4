package io.latimer.cli.flinkui;

import java.util.OptionalInt;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.dispatcher.SessionDispatcherFactory;
import org.apache.flink.runtime.dispatcher.runner.DefaultDispatcherRunnerFactory;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;
import org.apache.flink.runtime.rest.RestEndpointFactory;

/**
 * Restricts Flink's REST interface of a cluster in this process. By default the interface accepts
 * and runs jars from anyone who can reach it: every user of the machine, and every page that a
 * browser on it shows. So there is either no interface, or a read-only page for this machine only.
 */
public final class FlinkUi {
  private static final String HOST = "localhost";

  private FlinkUi() {}

  /**
   * Overrides a cluster's settings of the interface.
   *
   * @param port of the page, 0 for any free one; empty for no page and no interface
   */
  public static void apply(OptionalInt port, Configuration cluster) {
    int listen = port.orElse(0);
    cluster.set(UiEndpoint.SERVED, port.isPresent());
    cluster.set(RestOptions.ADDRESS, HOST);
    cluster.set(RestOptions.BIND_ADDRESS, HOST);
    cluster.set(RestOptions.PORT, listen);
    cluster.set(RestOptions.BIND_PORT, Integer.toString(listen));
    cluster.set(WebOptions.SUBMIT_ENABLE, false);
    cluster.set(WebOptions.CANCEL_ENABLE, false);
    cluster.set(WebOptions.RESCALE_ENABLE, false);
    // the origin in responses to requests that do not reach the guard, which sets the actual one
    cluster.set(
        WebOptions.ACCESS_CONTROL_ALLOW_ORIGIN,
        listen == 0 ? "http://" + HOST : "http://" + HOST + ":" + listen);
  }

  /** Creates the components of a cluster, with the interface that its settings require. */
  public static DispatcherResourceManagerComponentFactory components() {
    return new DefaultDispatcherResourceManagerComponentFactory(
        DefaultDispatcherRunnerFactory.createSessionRunner(SessionDispatcherFactory.INSTANCE),
        StandaloneResourceManagerFactory.getInstance(),
        (RestEndpointFactory<DispatcherGateway>) UiEndpoint::create);
  }
}
