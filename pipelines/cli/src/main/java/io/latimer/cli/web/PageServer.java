package io.latimer.cli.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.latimer.cli.command.CommandException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the page, its events and its requests. */
final class PageServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageServer.class);

  /** Maximum number of connections, each with its own thread, so that slow ones block no others. */
  static final int MOST_CONNECTIONS = 128;

  /** Maximum time to receive a request; the server checks every second. */
  private static final Duration MOST_REQUEST = Duration.ofSeconds(10);

  /** Maximum time until the response is read; Kafka may need 20 s of it. */
  private static final Duration MOST_EXCHANGE = MOST_REQUEST.plusSeconds(30);

  private static final int BACKLOG = 50;
  private static final long CLOSE_SECONDS = 1;
  private static final String TOKEN = "token=";
  private static final String EVENTS = "/events";
  private static final String JSON = "application/json";

  /** The JDK server's limits, which are per process. */
  private static final Map<String, String> LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime",
          Long.toString(MOST_REQUEST.toSeconds()),
          "jdk.httpserver.maxConnections",
          Integer.toString(MOST_CONNECTIONS));

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self';"
              + " frame-ancestors 'none'; require-trusted-types-for 'script'",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Permissions-Policy",
          "camera=(), geolocation=(), microphone=()",
          "Cache-Control",
          "no-store");

  private final EventHub hub;
  private final PageApi api;
  private final StuckThreads stuck;
  private final Map<String, PageFiles.PageFile> files = PageFiles.all();
  private final HttpServer server;
  private final RequestGuard guard;
  private final ThreadPoolExecutor threads;

  /**
   * Starts listening.
   *
   * @param stuck closes connections whose responses are not read
   * @throws CommandException if the address or the port cannot be used
   */
  PageServer(WebSettings settings, EventHub hub, PageApi api, StuckThreads stuck) {
    this.stuck = stuck;
    this.hub = hub;
    this.api = api;
    LIMITS.forEach((name, value) -> System.getProperties().putIfAbsent(name, value));
    threads =
        new ThreadPoolExecutor(
            MOST_CONNECTIONS,
            MOST_CONNECTIONS,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            PageServer::thread);
    threads.allowCoreThreadTimeOut(true);
    try {
      server = bind(settings);
    } catch (IOException e) {
      throw new CommandException(
          "the live page cannot listen at "
              + WebSettings.host(settings.address().getAddress())
              + ":"
              + settings.address().getPort()
              + ": "
              + e.getMessage()
              + "; choose another port with --web=PORT, or any free one with --web=0.",
          e);
    }
    guard = new RequestGuard(settings, port());
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  private static HttpServer bind(WebSettings settings) throws IOException {
    InetSocketAddress address = settings.address();
    if (settings.tls().isEmpty()) {
      return HttpServer.create(address, BACKLOG);
    }
    HttpsServer secure = HttpsServer.create(address, BACKLOG);
    secure.setHttpsConfigurator(new HttpsConfigurator(settings.tls().get()));
    return secure;
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "live-page");
    thread.setDaemon(true);
    return thread;
  }

  /** The port on which it listens. */
  int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) {
    try {
      if (EVENTS.equals(exchange.getRequestURI().getPath())) {
        exchange(exchange); // each event has its own time limit
      } else {
        stuck.<IOException>watch(MOST_EXCHANGE, () -> exchange(exchange));
      }
    } catch (IOException e) {
      LOG.debug("A browser has closed its connection.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the browser reads nothing, or the page is closed
    } catch (RuntimeException | Error e) { // the server would drop an error silently
      LOG.error("A request of the live page failed.", e);
    }
  }

  private void exchange(HttpExchange exchange) throws IOException, InterruptedException {
    try (exchange) {
      HEADERS.forEach(exchange.getResponseHeaders()::set);
      serve(exchange);
    }
  }

  private void serve(HttpExchange exchange) throws IOException, InterruptedException {
    Headers request = exchange.getRequestHeaders();
    String path = exchange.getRequestURI().getPath();
    boolean writes = PageApi.WRITES.contains(path);
    Optional<RequestGuard.Refusal> refusal = guard.refusal(request, writes);
    if (refusal.isPresent()) {
      answer(exchange, refusal.get().status(), refusal.get().reason());
    } else if (!guard.isAllowed(request)) {
      letIn(exchange);
    } else if (writes) {
      write(exchange, path);
    } else if (!exchange.getRequestMethod().matches("GET|HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      answer(exchange, 405, "Only GET is possible here.");
    } else if (path.equals(EVENTS)) {
      events(exchange);
    } else if (path.equals("/api/statistics")) {
      send(exchange, 200, JSON, api.statistics().getBytes(StandardCharsets.UTF_8));
    } else if (files.containsKey(path)) {
      send(exchange, 200, files.get(path).type(), files.get(path).bytes());
    } else {
      answer(exchange, 404, "There is no such page.");
    }
  }

  /** Exchanges a token in the page's URL for a cookie; refuses requests that have neither. */
  private void letIn(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getRawQuery();
    boolean opens =
        exchange.getRequestMethod().equals("GET") && exchange.getRequestURI().getPath().equals("/");
    if (opens
        && query != null
        && query.startsWith(TOKEN)
        && guard.isToken(query.substring(TOKEN.length()))) {
      exchange.getResponseHeaders().set("Set-Cookie", guard.setCookie());
      exchange.getResponseHeaders().set("Location", "/");
      exchange.sendResponseHeaders(303, -1);
      return;
    }
    exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
    answer(exchange, 401, "Open the page at the address with ?token= that latimer has printed.");
  }

  private void events(HttpExchange exchange) throws IOException, InterruptedException {
    if (exchange.getRequestMethod().equals("HEAD")) {
      send(exchange, 200, "text/event-stream", new byte[0]);
      return;
    }
    Optional<EventClient> joined = hub.join(lastSeen(exchange.getRequestHeaders()));
    if (joined.isEmpty()) {
      exchange.getResponseHeaders().set("Retry-After", "10");
      answer(
          exchange,
          503,
          "The page is open " + EventHub.MOST_CLIENTS + " times, the maximum; close one.");
      return;
    }
    try (EventClient client = joined.get()) {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
      exchange.sendResponseHeaders(200, 0);
      client.writeTo(exchange.getResponseBody());
    }
  }

  private static long lastSeen(Headers request) {
    String id = request.getFirst("Last-Event-ID");
    return id != null && id.matches("[0-9]{1,18}") ? Long.parseLong(id) : 0;
  }

  private void write(HttpExchange exchange, String path) throws IOException, InterruptedException {
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.getResponseHeaders().set("Allow", "POST");
      answer(exchange, 405, "Only POST is possible here.");
      return;
    }
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    if (type == null || !type.matches("(?i)application/json *(;.*)?")) {
      answer(exchange, 415, "The body must be application/json.");
      return;
    }
    byte[] body = exchange.getRequestBody().readNBytes(PageApi.MOST_BODY + 1);
    if (body.length > PageApi.MOST_BODY) {
      answer(exchange, 413, "The text is too long; split it.");
      return;
    }
    PageApi.Answer answer = api.write(path, body);
    send(exchange, answer.status(), JSON, answer.json().getBytes(StandardCharsets.UTF_8));
  }

  private void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = PageJson.of("error", text).getBytes(StandardCharsets.UTF_8);
    send(exchange, status, JSON, bytes);
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] bytes)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Ends open pages, which have received their last event, and stops listening. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
    server.stop(0);
  }
}
