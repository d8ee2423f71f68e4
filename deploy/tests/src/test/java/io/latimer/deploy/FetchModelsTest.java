package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the init container. */
class FetchModelsTest {
  private static final byte[] MODEL = "a model".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;

  private final List<String> asked = new ArrayList<>();
  private int failures;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    try {
      new ProcessBuilder("curl", "--version").start();
    } catch (IOException e) {
      assumeTrue(false, "no curl on the PATH: " + e.getMessage());
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().toString());
          if (exchange.getRequestURI().getPath().equals("/moved")) {
            exchange.getResponseHeaders().add("Location", address("/model"));
            exchange.sendResponseHeaders(302, -1);
          } else if (failures-- > 0) {
            exchange.sendResponseHeaders(503, -1);
          } else if (exchange.getRequestURI().getPath().equals("/short")) {
            exchange.sendResponseHeaders(200, MODEL.length + 1);
            exchange.getResponseBody().write(MODEL);
          } else {
            exchange.sendResponseHeaders(200, MODEL.length);
            try (OutputStream out = exchange.getResponseBody()) {
              out.write(MODEL);
            }
          }
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.stop(0);
    }
  }

  private String address(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  private Shell fetch(int attempts, String... lines) throws Exception {
    Path list = Files.writeString(folder.resolve("list"), String.join("\n", lines));
    return Shell.run(
        Map.of("MODELS_ATTEMPTS", Integer.toString(attempts)),
        folder,
        List.of(
            Deploy.DOCKER.resolve("fetch-models").toString(),
            list.toString(),
            folder.resolve("models").toString()));
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(folder.resolve("models"))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void fetchesEachModelOnce() throws Exception {
    String line = sha256(MODEL) + " en-de.lmx " + address("/model");
    Shell first = fetch(1, "# models", "", line);
    assertThat(first.output()).isEqualTo("fetch-models: fetched en-de.lmx");
    assertThat(first.status()).isZero();
    assertThat(folder.resolve("models/en-de.lmx")).hasBinaryContent(MODEL);

    Shell again = fetch(1, line);
    assertThat(again.output()).isEqualTo("fetch-models: en-de.lmx is there");
    assertThat(asked).hasSize(1);
  }

  @Test
  void replacesAFileWithOtherContent() throws Exception {
    Files.createDirectories(folder.resolve("models"));
    Files.writeString(folder.resolve("models/a"), "damaged");
    Files.writeString(folder.resolve("models/.a.part"), "of a killed process");
    assertThat(fetch(1, sha256(MODEL) + " a " + address("/moved")).status()).isZero();
    assertThat(folder.resolve("models/a")).hasBinaryContent(MODEL);
    assertThat(files()).containsExactly("a");
  }

  @Test
  void refusesAModelWithAnotherSha256() throws Exception {
    String other = sha256(new byte[0]);
    Shell refused = fetch(3, other + " a " + address("/model"));
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.output())
        .contains("a has the SHA-256 " + sha256(MODEL) + ", not " + other + " as line 1 of");
    assertThat(files()).isEmpty();
    assertThat(asked).hasSize(1);
  }

  @Test
  void triesAgainWhereTheServerFails() throws Exception {
    failures = 1;
    assertThat(fetch(2, sha256(MODEL) + " a " + address("/model")).status()).isZero();
    assertThat(asked).hasSize(2);
  }

  @Test
  void givesUpAndNamesTheModelButNotItsSignedAddress() throws Exception {
    failures = 10;
    Shell failed = fetch(1, sha256(MODEL) + " a " + address("/model?signature=s3cret"));
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.output())
        .contains("a could not be fetched in 1 attempts")
        .doesNotContain("s3cret");
  }

  @Test
  void aTruncatedModelIsNotUsed() throws Exception {
    assertThat(fetch(1, sha256(MODEL) + " a " + address("/short")).status()).isEqualTo(1);
    assertThat(folder.resolve("models/a")).doesNotExist();
  }

  @Test
  void refusesLinesThatAreNoModels() throws Exception {
    String sum = sha256(MODEL);
    Map<String, String> wrong =
        Map.of(
            sum + " ../a " + address("/model"), "'../a' is not a file name",
            sum + " .a " + address("/model"), "'.a' is not a file name",
            sum + " -a " + address("/model"), "'-a' is not a file name",
            sum + " a file:///etc/passwd", "is not an http or https address",
            sum + " a", "is not 'SHA-256 NAME ADDRESS'",
            sum + " a " + address("/model") + " b", "is not 'SHA-256 NAME ADDRESS'",
            sum.substring(1) + " a " + address("/model"), "a SHA-256 has 64 digits, this one 63",
            sum.replaceAll(".$", "X") + " a " + address("/model"), "is not a SHA-256",
            sum + " a " + address("/model\"\noutput = \"/x"), "a quotation mark");
    for (Map.Entry<String, String> one : wrong.entrySet()) {
      Shell refused = fetch(1, one.getKey());
      assertThat(refused.status()).isEqualTo(1);
      assertThat(refused.output()).contains(one.getValue());
    }
    assertThat(asked).isEmpty();
  }
}
