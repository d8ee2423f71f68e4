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
  private static final Duration LONG = Duration.ofSeconds(60);

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
