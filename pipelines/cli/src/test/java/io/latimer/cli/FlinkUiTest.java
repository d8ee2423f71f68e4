package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who can ask the cluster of a command for what. */
final class FlinkUiTest extends CommandProcess {
  private static final Pattern PAGE = Pattern.compile("web page is at http://[^:]*:(\\d+)");
  private static final String EVIL_HOST = "Host: evil.example";
  private static final String EVIL_ORIGIN = "Origin: http://evil.example";

  @BeforeEach
  void giveAJob() throws IOException {
    assumeTrue(Sockets.areKnown(), "sockets are looked for in /proc");
    Files.writeString(Files.createDirectory(folder.resolve("in")).resolve("1"), "one\n");
    Files.writeString(
        folder.resolve("job.yaml"),
        """
        source: {files: {path: in, watch: 100ms}}
        stages: [identity]
        sinks: [print: {}]
        engine: {rest.port: 0, rest.bind-address: 0.0.0.0, web.submit.enable: true}
        """);
  }

  private void assertNobodyAnswers() throws IOException {
    assertThat(Sockets.of(process)).isNotEmpty().allMatch(Sockets.Listening::isLoopback);
    for (Sockets.Listening socket : Sockets.of(process)) {
      int port = socket.port();
      String own = "Host: localhost:" + port;
      for (String host : List.of(own, EVIL_HOST)) {
        for (String path : List.of("GET /config", "GET /jars", "POST /jars/upload", "POST /jobs")) {
          assertThat(Sockets.ask(port, path, host, EVIL_ORIGIN, "Content-Length: 0"))
              .as("%s at %d, %s", path, port, host)
              .doesNotStartWith("HTTP/1.1 2")
              .doesNotContainIgnoringCase("access-control-allow-origin", "flink");
        }
      }
    }
  }

  @Test
  void aJobHasNoInterface() throws Exception {
    start("run", "--config", "job.yaml", "--web=0");
    await(out, "one");
    assertNobodyAnswers();
  }

  @Test
  void theDemoHasNoInterface() throws Exception {
    start("demo", "--rate", "5", "--beam", "1");
    await(out, "\n");
    assertThat(broker()).isPresent();
    assertNobodyAnswers();
  }

  private int page() throws IOException {
    Matcher page = PAGE.matcher(Files.readString(err));
    assertThat(page.find()).as(Files.readString(err)).isTrue();
    return Integer.parseInt(page.group(1));
  }

  @Test
  void thePageOfAJobIsForThisMachineAndForItself() throws Exception {
    start("run", "--config", "job.yaml", "--flink-ui=0");
    await(out, "one");
    assertThat(Sockets.of(process)).isNotEmpty().allMatch(Sockets.Listening::isLoopback);
    assertThePageOnlyShows(page());
  }

  @Test
  void thePageOfTheDemoIsForThisMachineAndForItself() throws Exception {
    start("demo", "--rate", "5", "--beam", "1", "--flink-ui=0");
    await(out, "\n");
    assertThat(Sockets.of(process)).isNotEmpty().allMatch(Sockets.Listening::isLoopback);
    assertThePageOnlyShows(page());
  }

  private void assertThePageOnlyShows(int port) throws Exception {
    for (String name : List.of("localhost", "127.0.0.1", "[::1]")) {
      String origin = "http://" + name + ":" + port;
      String host = "Host: " + name + ":" + port;
      assertThat(Sockets.ask(port, "GET /config", host, "Origin: " + origin))
          .startsWith("HTTP/1.1 200 ")
          .contains("\"web-submit\":false", "\"web-cancel\":false", "\"web-rescale\":false")
          .containsIgnoringCase("access-control-allow-origin: " + origin + "\r\n");
    }
    String own = "Host: localhost:" + port;
    assertThat(Sockets.ask(port, "GET /", own)).startsWith("HTTP/1.1 200 ").contains("<title>");
    for (List<String> headers :
        List.of(
            List.of(EVIL_HOST),
            List.of("Host: evil.example:" + port),
            List.of(own, EVIL_HOST),
            List.of("X-Forwarded-Host: localhost:" + port),
            List.of(own, EVIL_ORIGIN),
            List.of(own, "Origin: null"),
            List.of(own, "Origin: http://localhost:" + (port - 1)),
            List.of(own, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: script"))) {
      assertThat(Sockets.ask(port, "GET /config", headers.toArray(String[]::new)))
          .as("%s", headers)
          .matches("(?s)HTTP/1.1 (403|400) .*")
          .doesNotContain("web-submit", "evil.example");
    }
    assertNothingChanges(port, own);
  }

  /** Flink cancels for {@code PATCH} and the two {@code GET} below, whatever its settings say. */
  private void assertNothingChanges(int port, String own) throws Exception {
    String job =
        Sockets.ask(port, "GET /jobs", own).replaceAll("(?s).*\"id\":\"([0-9a-f]+)\".*", "$1");
    for (String request :
        List.of(
            "POST /jars/upload",
            "POST /jobs",
            "POST /jobs/" + job + "/stop",
            "POST /jobs/" + job + "/savepoints",
            "POST /jobs/" + job + "/checkpoints",
            "PATCH /jobs/" + job,
            "PATCH /jobs/" + job + "/rescaling?parallelism=1",
            "PUT /jobs/" + job + "/resource-requirements",
            "DELETE /cluster")) {
      assertThat(Sockets.ask(port, request, own, "Content-Length: 0"))
          .as(request)
          .matches("(?s)HTTP/1.1 40[45] .*");
    }
    for (String stop : List.of("/yarn-cancel", "/yarn-stop", "/%2579arn-cancel")) {
      assertThat(Sockets.ask(port, "GET /jobs/" + job + stop, own))
          .as(stop)
          .startsWith("HTTP/1.1 403 ")
          .endsWith("A GET only reads. Stop a job with POST /jobs/ID/stop.");
    }
    assertThat(Sockets.ask(port, "GET /jobs/" + job, own)).contains("\"state\":\"RUNNING\"");
  }

  @Test
  void aPortThatIsTakenIsNamedWithTheOption() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      start("run", "--config", "job.yaml", "--flink-ui=" + taken.getLocalPort());
      assertThat(process.waitFor()).isEqualTo(1);
    }
    assertThat(Files.readString(err)).contains("choose another port", "--flink-ui=PORT");
  }
}
