package io.latimer.cli.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A headless Chromium with one page, driven through its DevTools protocol. */
final class Chromium implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** On a machine that does much else, a job takes long to start. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final Map<String, Integer> KEYS =
      Map.of(
          "Tab",
          9,
          "Enter",
          13,
          "Escape",
          27,
          "End",
          35,
          "Home",
          36,
          "ArrowUp",
          38,
          "ArrowDown",
          40);

  private final Process process;
  private final WebSocket socket;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();

  /** The browser's program, if this machine has one. */
  static Optional<Path> program() {
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(
            name ->
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                    .map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts the browser with an empty page.
   *
   * @param folder for its profile
   */
  Chromium(Path program, Path folder) throws Exception {
    process =
        new ProcessBuilder(
                List.of(
                    program.toString(),
                    "--headless=new",
                    "--no-sandbox", // as root, in containers
                    "--disable-gpu",
                    // no connections but those of the tests
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync",
                    "--disable-quic",
                    "--disable-dev-shm-usage",
                    "--ignore-certificate-errors",
                    "--no-first-run",
                    "--remote-debugging-port=0",
                    "--user-data-dir=" + folder,
                    "about:blank"))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("chromium.log").toFile())
            .start();
    try {
      Path portFile = folder.resolve("DevToolsActivePort");
      waitFor("the browser", () -> Files.exists(portFile) && Files.size(portFile) > 0);
      String port = Files.readAllLines(portFile).get(0);
      HttpResponse<String> pages =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json")).build(),
                  HttpResponse.BodyHandlers.ofString());
      String address = "";
      for (JsonNode page : JSON.readTree(pages.body())) {
        if (page.get("type").asText().equals("page")) {
          address = page.get("webSocketDebuggerUrl").asText();
        }
      }
      socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .buildAsync(URI.create(address), new Messages())
              .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      command("Page.enable");
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** There is no page now, because another one is being opened. */
  private static final class NoPageError extends AssertionError {
    private static final long serialVersionUID = 1L;

    NoPageError(String message) {
      super(message);
    }
  }

  /** What a test waits for. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Collects answers. */
  private final class Messages implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        try {
          JsonNode message = JSON.readTree(text.toString());
          text.setLength(0);
          CompletableFuture<JsonNode> answer =
              message.has("id") ? answers.remove(message.get("id").asInt()) : null;
          if (answer != null) {
            answer.complete(message);
          }
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
      from.request(1);
      return null;
    }
  }

  static void waitFor(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(what + " did not come within " + LIMIT);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Sends a command with parameters: names and values in turn. */
  JsonNode command(String method, Object... parameters) throws Exception {
    ObjectNode message = JSON.createObjectNode();
    int id = numbers.incrementAndGet();
    message.put("id", id).put("method", method);
    ObjectNode values = message.putObject("params");
    for (int i = 0; i < parameters.length; i += 2) {
      values.set((String) parameters[i], JSON.valueToTree(parameters[i + 1]));
    }
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(id, answer);
    socket.sendText(message.toString(), true).join();
    JsonNode result = answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    if (result.has("error")) {
      String error = method + ": " + result.get("error");
      throw error.contains("context") || error.contains("navigated")
          ? new NoPageError(error)
          : new AssertionError(error);
    }
    return result.get("result");
  }

  /** Opens a page and waits until it is complete. */
  void open(String url) throws Exception {
    command("Page.navigate", "url", url);
    await("document.readyState === 'complete' && location.protocol !== 'about:'");
  }

  /** The value of an expression in the page. */
  JsonNode evaluate(String expression) throws Exception {
    JsonNode result =
        command(
            "Runtime.evaluate",
            "expression",
            expression,
            "returnByValue",
            true,
            "awaitPromise",
            true);
    if (result.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
    }
    return result.get("result").path("value");
  }

  boolean is(String expression) throws Exception {
    return evaluate(expression).asBoolean();
  }

  String text(String selector) throws Exception {
    return evaluate("document.querySelector(" + JSON.valueToTree(selector) + ").textContent")
        .asText();
  }

  /** Waits until an expression is true in the page; as long as it fails, it is not. */
  void await(String expression) throws Exception {
    String safe = "(() => { try { return " + expression + "; } catch (e) { return false; } })()";
    waitFor(
        expression,
        () -> {
          try {
            return is(safe);
          } catch (NoPageError e) {
            return false;
          }
        });
  }

  void press(String key) throws Exception {
    for (String type : List.of("keyDown", "keyUp")) {
      command(
          "Input.dispatchKeyEvent",
          "type",
          type,
          "key",
          key,
          "code",
          key,
          "windowsVirtualKeyCode",
          KEYS.get(key),
          "text",
          type.equals("keyDown") && key.equals("Enter") ? "\r" : "");
    }
  }

  /** Types a text where the focus is. */
  void type(String text) throws Exception {
    command("Input.insertText", "text", text);
  }

  /** Moves the mouse to where nothing notices it. */
  void pointAtNothing() throws Exception {
    command("Input.dispatchMouseEvent", "type", "mouseMoved", "x", 0, "y", 0);
  }

  /** Moves the mouse to the middle of an element. */
  void pointAt(String selector) throws Exception {
    JsonNode box = box(selector);
    command(
        "Input.dispatchMouseEvent",
        "type",
        "mouseMoved",
        "x",
        box.get(0).asDouble(),
        "y",
        box.get(1).asDouble());
  }

  void click(String selector) throws Exception {
    pointAt(selector);
    JsonNode box = box(selector);
    for (String type : List.of("mousePressed", "mouseReleased")) {
      command(
          "Input.dispatchMouseEvent",
          "type",
          type,
          "x",
          box.get(0).asDouble(),
          "y",
          box.get(1).asDouble(),
          "button",
          "left",
          "clickCount",
          1);
    }
  }

  private JsonNode box(String selector) throws Exception {
    return evaluate(
        "(() => { const e = document.querySelector("
            + JSON.valueToTree(selector)
            + "); e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            + " return [b.x + b.width / 2, b.y + b.height / 2]; })()");
  }

  void size(int width, int height) throws Exception {
    command(
        "Emulation.setDeviceMetricsOverride",
        "width",
        width,
        "height",
        height,
        "deviceScaleFactor",
        1,
        "mobile",
        width < 600);
  }

  /** Sets a preference of the user, such as {@code prefers-color-scheme}. */
  void prefer(String name, String value) throws Exception {
    command(
        "Emulation.setEmulatedMedia", "features", List.of(Map.of("name", name, "value", value)));
  }

  void screenshot(Path file) throws Exception {
    String data = command("Page.captureScreenshot", "format", "png").get("data").asText();
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(data));
  }

  @Override
  public void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }
}
