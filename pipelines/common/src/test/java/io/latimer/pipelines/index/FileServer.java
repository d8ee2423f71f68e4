package io.latimer.pipelines.index;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server that counts requests, and fails as it is told to. */
public final class FileServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final AtomicInteger requests = new AtomicInteger();

  /** Answers a request; what it leaves open is closed after it. */
  @FunctionalInterface
  public interface Answer {
    void to(HttpExchange exchange) throws Exception;
  }

  public FileServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    Answer answer = answers.getOrDefault(exchange.getRequestURI().getPath(), status(404));
    try {
      answer.to(exchange);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    } finally {
      exchange.close(); // ends the connection if less was sent than announced
    }
  }

  /** Sets what is answered at a path. */
  public URI put(String path, Answer answer) {
    answers.put(path, answer);
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  /** The requests so far, to all paths. */
  public int requests() {
    return requests.get();
  }

  public static Answer status(int status) {
    return exchange -> exchange.sendResponseHeaders(status, -1);
  }

  public static Answer file(byte[] content) {
    return part(content, content.length);
  }

  /** Announces all of a file, and sends its beginning. */
  public static Answer part(byte[] content, int sent) {
    return exchange -> {
      exchange.sendResponseHeaders(200, content.length);
      send(exchange, content, sent);
    };
  }

  /** Sends the beginning of a file, of which it does not announce the length. */
  public static Answer unannounced(byte[] content, int sent) {
    return exchange -> {
      exchange.sendResponseHeaders(200, 0);
      send(exchange, content, sent);
    };
  }

  public static Answer redirect(String to) {
    return exchange -> {
      exchange.getResponseHeaders().set("Location", to);
      exchange.sendResponseHeaders(302, -1);
    };
  }

  /** The first answer once, then the second. */
  public static Answer then(Answer first, Answer second) {
    AtomicInteger calls = new AtomicInteger();
    return exchange -> (calls.getAndIncrement() == 0 ? first : second).to(exchange);
  }

  static void send(HttpExchange exchange, byte[] content, int length) throws IOException {
    OutputStream out = exchange.getResponseBody();
    out.write(content, 0, length);
    out.flush();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
