package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpGetTest {
  private static final URI PUBLIC = URI.create("https://203.0.113.5/feed");
  private static final Duration LONG = Duration.ofSeconds(60);

  @Test
  void aPublicServerCannotRedirectIntoAPrivateNetwork() throws IOException {
    for (String host :
        List.of(
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "172.16.5.4",
            "169.254.169.254",
            "0.0.0.0",
            "0.1.2.3",
            "100.100.100.200",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[fd00::1]",
            "[fe80::1]",
            "[ff02::1]",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b:1::10.0.0.1]",
            "[2002:a00:1::]")) {
      assertThatThrownBy(() -> HttpGet.target(PUBLIC, "https://" + host + "/latest", false))
          .as(host)
          .isInstanceOf(FeedException.class)
          .hasMessageContaining("into a private network");
    }
    assertThat(HttpGet.target(PUBLIC, "https://203.0.113.6/x", false))
        .isEqualTo(URI.create("https://203.0.113.6/x"));
    assertThat(HttpGet.target(PUBLIC, "//203.0.113.6/x", false))
        .isEqualTo(URI.create("https://203.0.113.6/x"));
    URI local = URI.create("http://127.0.0.1/a/b");
    assertThat(HttpGet.target(local, "../c", true)).isEqualTo(URI.create("http://127.0.0.1/c"));
  }

  /** A host that was public when it was asked may have another address when it redirects. */
  @Test
  void aPublicServerCannotRedirectToItselfInsideEither() {
    URI rebound = URI.create("http://127.0.0.1:8080/feed");
    assertThatThrownBy(() -> HttpGet.target(rebound, "/latest", false))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining("into a private network");
  }

  @Test
  void aServerThatFallsSilentIsGivenUp() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              to.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
              Thread.sleep(60_000);
            })) {
      try (HttpGet get =
          HttpGet.of(HttpGet.newClient(), Duration.ofMillis(50), Duration.ZERO, FeedMeter.NONE)) {
        assertThat(get.send(URI.create(server.url("/")), Map.of(), LONG)).isEqualTo(200);
        assertThat(get.body().readNBytes(3)).isEqualTo("abc".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> get.body().read()).hasMessageContaining("sent nothing for");
      }
    }
  }

  /** Each byte comes in time, but the last one never. */
  @Test
  void aServerThatSendsAByteNowAndThenIsGivenUp() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              to.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
              while (true) {
                to.send("a");
                Thread.sleep(10);
              }
            })) {
      try (HttpGet get =
          HttpGet.of(HttpGet.newClient(), LONG, Duration.ofMillis(300), FeedMeter.NONE)) {
        get.send(URI.create(server.url("/")), Map.of(), LONG);
        assertThatThrownBy(() -> get.body().readAllBytes())
            .hasMessageContaining("did not send the whole document");
      }
    }
  }

  @Test
  void contentThatBreaksOffIsAnError() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) ->
                to.send(
                    request.path().equals("/length")
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
                        : "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"))) {
      for (String path : List.of("/length", "/chunked")) {
        try (HttpGet get = HttpGet.of(HttpGet.newClient(), LONG, LONG, FeedMeter.NONE)) {
          get.send(URI.create(server.url(path)), Map.of(), LONG);
          assertThatThrownBy(() -> get.body().readAllBytes())
              .isInstanceOf(IOException.class)
              .hasMessageContaining("broke off");
        }
      }
    }
  }

  @Test
  void anUnknownHostAndAClosedPortAreNamed() throws Exception {
    int port;
    try (ScriptedServer server = new ScriptedServer((request, to) -> {})) {
      port = server.port();
    }
    for (String address : List.of("http://127.0.0.1:" + port + "/", "http://host.invalid/")) {
      try (HttpGet get = HttpGet.of(HttpGet.newClient(), LONG, LONG, FeedMeter.NONE)) {
        URI uri = URI.create(address);
        assertThatThrownBy(() -> get.send(uri, Map.of(), LONG))
            .isInstanceOf(IOException.class)
            .isNotInstanceOf(FeedException.class)
            .hasMessageContaining(uri.getHost());
      }
    }
  }
}
