package io.latimer.pipelines.flink.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.embedded.EmbeddedChannel;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultHttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.FullHttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpObjectAggregator;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpServerCodec;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RestGuardTest {
  private final RestGuard guard =
      RestGuardFactory.guard(
          Configuration.fromMap(
              Map.of(
                  "rest.address", "jobmanager",
                  "kubernetes.cluster-id", "latimer",
                  "kubernetes.namespace", "feeds",
                  "latimer.rest.hosts", "flink.example.com;Proxy.example.com")));

  private static HttpRequest request(String host) {
    return request("/config", host);
  }

  private static HttpRequest request(String path, String host) {
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
    request.headers().add("Host", host);
    return request;
  }

  private Optional<String> refusal(HttpRequest request) {
    return guard.refusal(request);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:8081",
        "localhost",
        "LOCALHOST:9081", // forwarded from another port
        "127.0.0.1:8081",
        "[::1]:8081",
        "[FD00::1]",
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
        "localhost.",
        "localhost:",
        "localhost:8081:8081",
        "localhost.evil.example:8081",
        "latimer-rest.evil.example:8081",
        "127.0.0.1.evil.example:8081",
        "2130706433.evil.example:8081",
        "[::1].evil.example:8081",
        "jobmanager:8081.evil.example",
        "example.com",
        "evil.flink.example.com",
        "localhost@evil.example",
        ":8081",
        ""
      })
  void refusesNamesThatAnybodyCanPointHere(String host) {
    assertThat(refusal(request(host)))
        .hasValue(
            "Flink is not known by this host name. Open it at localhost, or add the name to Flink's"
                + " setting latimer.rest.hosts.");
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
        "/jobs/0123456789abcdef0123456789abcdef//yarn-cancel/",
        "/jobs/0123456789abcdef0123456789abcdef/%2579arn-cancel",
        "/jobs/0123456789abcdef0123456789abcdef/yarn%252Dcancel",
        "/jobs%2F0123456789abcdef0123456789abcdef%252Fyarn-cancel",
        "http://localhost:8081/jobs/0123456789abcdef0123456789abcdef/yarn-cancel",
        "/jobs/%zz",
        "/jobs/%25zz"
      })
  void changesNothingForAGet(String path) {
    assertThat(refusal(request(path, "localhost:8081")))
        .hasValue("A GET only reads. Stop a job with POST /jobs/ID/stop.");
  }

  @Test
  void letsOtherSitesSendNoForm() {
    HttpRequest request = request("localhost:8081");
    request.setMethod(HttpMethod.POST);
    request.headers().add("Sec-Fetch-Site", "cross-site");
    request.headers().add("Sec-Fetch-Dest", "document");
    assertThat(refusal(request)).hasValue("Another site may not ask for this.");
  }

  /** A connection as Flink makes it: the guard is added behind what takes the bodies in. */
  private static EmbeddedChannel connection() {
    EmbeddedChannel connection =
        new EmbeddedChannel(new HttpServerCodec(), new HttpObjectAggregator(1 << 20));
    connection
        .pipeline()
        .addLast(new RestGuardFactory().createHandler(new Configuration(), Map.of()).orElseThrow());
    return connection;
  }

  private static String exchange(EmbeddedChannel connection, String request) {
    connection.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII));
    StringBuilder answer = new StringBuilder();
    while (connection.readOutbound() instanceof ByteBuf part) {
      answer.append(part.toString(StandardCharsets.US_ASCII));
      part.release();
    }
    return answer.toString();
  }

  @Test
  void refusesBeforeABodyIsTakenIn() {
    EmbeddedChannel connection = connection();
    assertThat(
            exchange(
                connection,
                """
                POST /jobs/x/stop HTTP/1.1\r
                Host: localhost:8081\r
                Origin: http://evil.example\r
                Content-Length: 1000000\r
                \r
                beginning of the body\
                """))
        .startsWith("HTTP/1.1 403 Forbidden\r\n")
        .containsIgnoringCase("connection: close")
        .doesNotContainIgnoringCase("access-control")
        .endsWith("the origin is another one.");
    assertThat(connection.isOpen()).isFalse();
    assertThat(connection.<Object>readInbound()).isNull();
  }

  @Test
  void handsOnWhatItsOwnPageAsks() {
    EmbeddedChannel connection = connection();
    String request =
        """
        POST /jobs/x/stop HTTP/1.1\r
        Host: localhost:8081\r
        Origin: http://localhost:8081\r
        Content-Length: 4\r
        \r
        body\
        """;
    assertThat(exchange(connection, request)).isEmpty();
    FullHttpRequest read = connection.readInbound();
    assertThat(read.content().toString(StandardCharsets.US_ASCII)).isEqualTo("body");
    read.release();
    connection.writeOutbound(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.ACCEPTED));
    assertThat(exchange(connection, ""))
        .startsWith("HTTP/1.1 202 Accepted\r\n")
        .contains("access-control-allow-origin: http://localhost:8081\r\n");
    assertThat(connection.isOpen()).isTrue();
  }

  @Test
  void otherPathsAreFlinks() {
    assertThat(refusal(request("/jobs/overview?name=/yarn-cancel", "localhost:8081"))).isEmpty();
  }
}
