package io.latimer.cli.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.cli.command.CommandException;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PageServerTest {
  private static final String TOKEN = "0123456789abcdefXYZ-_";

  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicLong nanos = new AtomicLong();
  private final StuckThreads stuck = new StuckThreads(nanos::get);
  private final EventHub hub = new EventHub(stuck);
  private final PageApi api = new PageApi();
  private PageServer server;

  private PageServer start(boolean write, Optional<String> token) {
    server =
        new PageServer(
            new WebSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                write,
                Set.of("localhost", "127.0.0.1"),
                Optional.empty(),
                token),
            hub,
            api,
            stuck);
    return server;
  }

  @AfterEach
  void stop() {
    hub.end("{}");
    if (server != null) {
      server.close();
    }
  }

  private URI uri(String path) {
    return URI.create("http://localhost:" + server.port() + path);
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String type, String body) throws Exception {
    return client.send(
        HttpRequest.newBuilder(uri(path))
            .header("Content-Type", type)
            .header("Origin", "http://localhost:" + server.port())
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return post(path, "application/json", body);
  }

  private void begin(String yaml) {
    JobConfig config = JobConfigReader.read(yaml, "job.yaml", Path.of(""));
    api.begin(new FeedWriter(config, new RecordSampler(json -> {}, System::nanoTime), () -> {}));
  }

  @ParameterizedTest
  @CsvSource({
    "/, 200, text/html",
    "/page.js, 200, text/javascript",
    "/page.css, 200, text/css",
    "/icon.svg, 200, image/svg+xml",
    "/api/statistics, 200, application/json",
    "/index.html, 404, application/json",
    "/../page.js, 404, application/json",
    "/%2e%2e/PageServer.class, 404, application/json",
    "/PageServer.class, 404, application/json",
    "/api/sentences, 403, application/json",
  })
  void everyAnswerHasStrictHeaders(String path, int status, String type) throws Exception {
    start(false, Optional.empty());
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains(type + "; charset=utf-8");
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for")
        .doesNotContain("unsafe");
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("X-Frame-Options")).contains("DENY");
    assertThat(answer.headers().firstValue("Referrer-Policy")).contains("no-referrer");
    assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(answer.headers().firstValue("Cross-Origin-Resource-Policy")).contains("same-origin");
    assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void thePageNamesNothingElsewhere() throws Exception {
    start(false, Optional.empty());
    for (String path :
        List.of("/", "/page.css", "/page.js", "/rows.js", "/verdicts.js", "/graphs.js")) {
      assertThat(get(path).body().replace("http://www.w3.org/2000/svg", ""))
          .as(path)
          .isNotEmpty()
          .doesNotContain("http:", "https:", "innerHTML", "outerHTML", "insertAdjacent", "eval(")
          .doesNotContain("style=", "onclick");
    }
  }

  @Test
  void anotherHostIsRefused() throws Exception {
    start(true, Optional.empty());
    assertThat(raw("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 421 ")
        .contains("nosniff")
        .doesNotContain("<html");
    assertThat(raw("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200 ")
        .contains("<html");
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/sentences", "/api/corrections"})
  void aPageMayNotWriteUnlessItIsAllowedTo(String path) throws Exception {
    start(false, Optional.empty());
    HttpResponse<String> answer = post(path, "{\"text\": \"hello\"}");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("read-only", "--web-write");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/json | {\"text\": \"hello\" | 400",
        "application/json | nonsense | 400",
        "application/json | {} | 400",
        "application/json | [] | 400",
        "application/json | {\"text\": 5} | 400",
        "application/json | {\"text\": \" \"} | 400",
        "application/json | {\"text\": \"half \\ud83d\"} | 400",
        "application/json; charset=utf-8 | {\"text\": \"hello\"} | 409",
        "text/plain | {\"text\": \"hello\"} | 415",
        "application/x-www-form-urlencoded | text=hello | 415",
      })
  void whatIsNoSentenceIsRefused(String type, String body, int status) throws Exception {
    start(true, Optional.empty());
    begin("source: {list: {lines: [a]}}\nstages: [identity]\nsinks: [print: {}]");
    assertThat(post("/api/sentences", type, body).statusCode()).isEqualTo(status);
  }

  @Test
  void longBodiesAndManyAreRefused() throws Exception {
    start(true, Optional.empty());
    assertThat(post("/api/sentences", "{\"text\": \"hello\"}").statusCode()).isEqualTo(503);
    begin("source: {list: {lines: [a]}}\nstages: [identity]\nsinks: [print: {}]");
    String text = "{\"text\": \"" + "x".repeat(PageApi.MOST_BODY) + "\"}";
    assertThat(post("/api/sentences", text).statusCode()).isEqualTo(413);
    List<Integer> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      answers.add(api.write(PageApi.SENTENCES, "{\"text\": \"hello\"}".getBytes(UTF_8)).status());
    }
    assertThat(answers).contains(409, 429).containsOnly(409, 429).startsWith(409);
  }

  @Test
  void methodsAreThoseOfThePath() throws Exception {
    start(true, Optional.empty());
    assertThat(post("/", "{}").statusCode()).isEqualTo(405);
    assertThat(get("/api/sentences", "Origin", "http://localhost:" + server.port()).statusCode())
        .isEqualTo(405);
    HttpResponse<String> head =
        client.send(
            HttpRequest.newBuilder(uri("/"))
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @Test
  void nothingIsServedWithoutTheToken() throws Exception {
    start(false, Optional.of(TOKEN));
    for (String path : List.of("/", "/page.js", "/events", "/api/statistics", "/?token=wrong")) {
      HttpResponse<String> answer = get(path);
      assertThat(answer.statusCode()).as(path).isEqualTo(401);
      assertThat(answer.body()).doesNotContain(TOKEN, "<html");
      assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    }
    HttpResponse<String> opened = get("/?token=" + TOKEN);
    assertThat(opened.statusCode()).isEqualTo(303);
    assertThat(opened.headers().firstValue("Location")).contains("/");
    String cookie = opened.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie).contains("HttpOnly", "SameSite=Lax");
    assertThat(get("/", "Cookie", cookie.replaceFirst(";.*", "")).statusCode()).isEqualTo(200);
    assertThat(get("/page.js", "Authorization", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
  }

  /** The events of a page, line by line. */
  private BufferedReader events(String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri("/events"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return new BufferedReader(
        new InputStreamReader(
            client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()).body(), UTF_8));
  }

  @Test
  void aPageGetsTheJobAndWhatWasLatest() throws Exception {
    start(true, Optional.empty());
    hub.job("{\"name\":\"news\"}");
    for (int i = 1; i <= 60; i++) {
      hub.record("{\"n\":" + i + "}");
    }
    hub.statistics("{\"translated\":60}");
    try (BufferedReader events = events()) {
      assertThat(lines(events, 6))
          .containsExactly(
              "event: job",
              "data: {\"name\":\"news\"}",
              "",
              "event: statistics",
              "data: {\"translated\":60}",
              "");
      assertThat(lines(events, 3)).containsExactly("event: record", "id: 11", "data: {\"n\":11}");
    }
    try (BufferedReader again = events("Last-Event-ID", "59")) {
      lines(again, 6);
      assertThat(lines(again, 3)).containsExactly("event: record", "id: 60", "data: {\"n\":60}");
      hub.end("{}");
      assertThat(again.lines().toList()).containsExactly("", "event: end", "data: {}", "");
    }
    try (BufferedReader after = events("Last-Event-ID", "59")) { // while the page is still there
      lines(after, 6);
      assertThat(after.lines().toList())
          .containsExactly(
              "event: record", "id: 60", "data: {\"n\":60}", "", "event: end", "data: {}", "");
    }
    api.end();
    assertThat(post("/api/sentences", "{}").body()).contains("The job has ended.");
  }

  private static List<String> lines(BufferedReader reader, int count) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(reader.readLine());
    }
    return lines;
  }

  @Test
  void aSlowPageLosesRecordsAndIsToldSo() throws Exception {
    start(false, Optional.empty());
    try (Socket slow = new Socket()) {
      slow.setReceiveBufferSize(4096);
      slow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      slow.getOutputStream()
          .write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      awaitClients(1);
      int count = 2_000;
      String large = "{\"text\":\"" + "x".repeat(50_000) + "\"}";
      for (int i = 0; i < count; i++) {
        hub.record(large); // returns although nothing is read
      }
      BufferedReader reader =
          new BufferedReader(new InputStreamReader(slow.getInputStream(), UTF_8));
      long read = 0;
      long lost = 0;
      while (read + lost < count) {
        String line = reader.readLine();
        if (line.equals("event: record")) {
          read++;
        } else if (line.equals("event: lost")) {
          String data = reader.readLine();
          assertThat(data).matches("data: \\{\"records\":[1-9][0-9]*}");
          lost += Long.parseLong(data.replaceAll("[^0-9]", ""));
        }
      }
      assertThat(read + lost).isEqualTo(count);
      assertThat(lost).isGreaterThan(count / 2);
    }
  }

  /** More bytes than the system keeps for a connection that nobody reads from. */
  private static final String UNREADABLE = "{\"text\":\"" + "x".repeat(50_000_000) + "\"}";

  private Socket ask(String request) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.getOutputStream().write(request.getBytes(UTF_8));
    return socket;
  }

  @Test
  void aPageThatReadsNothingIsClosed() throws Exception {
    start(false, Optional.empty());
    hub.record(UNREADABLE);
    try (Socket page = ask("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
      awaitClients(1);
      while (stuck.watched() == 0) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      stuck.interrupt();
      assertThat(hub.clients()).isEqualTo(1);
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(21));
      stuck.interrupt();
      awaitClients(0);
      assertThat(page.getInputStream().readAllBytes()).hasSizeLessThan(UNREADABLE.length());
    }
  }

  @Test
  void anAnswerThatIsNotReadIsGivenUp() throws Exception {
    start(false, Optional.empty());
    api.statistics(UNREADABLE);
    try (Socket page = ask("GET /api/statistics HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
      while (stuck.watched() == 0) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(41));
      stuck.interrupt();
      while (stuck.watched() > 0) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      assertThat(page.getInputStream().readAllBytes()).hasSizeLessThan(UNREADABLE.length());
    }
  }

  @Test
  void unfinishedRequestsHoldUpNoOther() throws Exception {
    start(false, Optional.empty());
    List<Socket> slow = new ArrayList<>();
    for (int i = 0; i < PageServer.MOST_CONNECTIONS / 2; i++) {
      slow.add(ask("GET / HT"));
    }
    assertThat(get("/").statusCode()).isEqualTo(200);
    for (Socket one : slow) {
      one.setSoTimeout(1);
      assertThatThrownBy(() -> one.getInputStream().read())
          .as("its connection is there and waits for the rest")
          .isInstanceOf(SocketTimeoutException.class);
      one.close();
    }
  }

  @Test
  void pagesAreLimitedAndComeAndGo() throws Exception {
    start(false, Optional.empty());
    List<BufferedReader> pages = new ArrayList<>();
    for (int i = 0; i < EventHub.MOST_CLIENTS; i++) {
      pages.add(events());
    }
    HttpResponse<String> refused = get("/events");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).contains("10");
    assertThat(get("/").statusCode()).isEqualTo(200); // there are threads left
    pages.remove(0).close();
    while (hub.clients() == EventHub.MOST_CLIENTS) {
      hub.record("{}"); // finds that it is closed
      TimeUnit.MILLISECONDS.sleep(20);
    }
    pages.add(events());
    assertThat(hub.clients()).isEqualTo(EventHub.MOST_CLIENTS);
    for (BufferedReader page : pages) {
      page.close();
    }
  }

  private void awaitClients(int count) throws InterruptedException {
    while (hub.clients() != count) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  @Test
  void anOccupiedPortIsSaid() {
    start(false, Optional.empty());
    WebSettings same =
        new WebSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
            false,
            Set.of(),
            Optional.empty(),
            Optional.empty());
    assertThatThrownBy(() -> new PageServer(same, hub, api, stuck))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("127.0.0.1:" + server.port())
        .hasMessageContaining("--web=0");
  }
}
