package io.latimer.pipelines.flink.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultHttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RestGuardTest {
  private static final int PORT = 8081;

  private final RestGuard guard =
      RestGuardFactory.guard(
          Configuration.fromMap(
              Map.of(
                  "rest.address", "jobmanager",
                  "kubernetes.cluster-id", "latimer",
                  "kubernetes.namespace", "feeds",
                  "latimer.rest.hosts", "flink.example.com;proxy.example.com:8443")));

  private static HttpRequest request(String host) {
    return request("/config", host);
  }

  private static HttpRequest request(String path, String host) {
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
    request.headers().add("Host", host);
    return request;
  }

  private Optional<String> refusal(HttpRequest request) {
    return guard.refusal(request, PORT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:8081",
        "LOCALHOST:8081",
        "127.0.0.1:8081",
        "[::1]:8081",
        "10.42.0.17:8081", // a probe of the kubelet
        "jobmanager:8081",
        "latimer-rest:8081",
        "latimer-rest.feeds:8081", // the operator
        "flink.example.com",
        "proxy.example.com:8443"
      })
  void servesThoseWhoKnowTheCluster(String host) {
    assertThat(refusal(request(host))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example:8081",
        "evil.example",
        "localhost",
        "localhost:8080",
        "localhost:80818081",
        "localhost.evil.example:8081",
        "latimer-rest.evil.example:8081",
        "127.0.0.1.evil.example:8081",
        "2130706433.evil.example:8081",
        "[::1].evil.example:8081",
        "jobmanager:8081.evil.example",
        "flink.example.com:8081",
        "proxy.example.com",
        ""
      })
  void refusesNamesThatAnybodyCanPointHere(String host) {
    assertThat(refusal(request(host)))
        .hasValue(
            "Flink is not known by this host name. Open http://localhost:8081, or add the name to"
                + " Flink's setting latimer.rest.hosts.");
  }

  @Test
  void refusesNoHostAndSeveral() {
    HttpRequest none = request("localhost:8081");
    none.headers().remove("Host");
    assertThat(refusal(none)).isPresent();
    HttpRequest several = request("localhost:8081");
    several.headers().add("Host", "localhost:8081");
    assertThat(refusal(several)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:8081, http://localhost:8081, true",
    "localhost:8081, https://localhost:8081, true",
    "flink.example.com, https://flink.example.com, true",
    "localhost:8081, http://127.0.0.1:8081, false",
    "localhost:8081, http://localhost:8080, false",
    "localhost:8081, http://evil.example, false",
    "localhost:8081, null, false",
    "10.42.0.17:8081, http://10.42.0.18:8081, false"
  })
  void letsOnlyItsOwnPageAsk(String host, String origin, boolean served) {
    HttpRequest request = request(host);
    request.headers().add("Origin", origin);
    assertThat(refusal(request).isEmpty()).isEqualTo(served);
  }

  @ParameterizedTest
  @CsvSource({
    "same-origin, empty, true",
    "none, document, true",
    "cross-site, document, true",
    "cross-site, image, false",
    "same-site, script, false",
    "cross-site, iframe, false"
  })
  void letsOtherSitesOnlyLinkToIt(String site, String destination, boolean served) {
    HttpRequest request = request("localhost:8081");
    request.headers().add("Sec-Fetch-Site", site);
    request.headers().add("Sec-Fetch-Dest", destination);
    assertThat(refusal(request).isEmpty()).isEqualTo(served);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/jobs/0123456789abcdef0123456789abcdef/yarn-cancel",
        "/v1/jobs/0123456789abcdef0123456789abcdef/yarn-stop",
        "/jobs/0123456789abcdef0123456789abcdef/%79arn%2Dcancel?a=b",
        "/jobs/0123456789abcdef0123456789abcdef//yarn-cancel/"
      })
  void changesNothingForAGet(String path) {
    assertThat(refusal(request(path, "localhost:8081")))
        .hasValue("A GET only reads. Stop a job with POST /jobs/ID/stop.");
  }

  @Test
  void otherPathsAreFlinks() {
    assertThat(refusal(request("/jobs/overview?name=/yarn-cancel", "localhost:8081"))).isEmpty();
  }
}
