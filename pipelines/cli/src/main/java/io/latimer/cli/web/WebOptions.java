package io.latimer.cli.web;

import io.latimer.cli.command.CommandException;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the live page. */
public final class WebOptions {
  /** The default port of the page. */
  static final String DEFAULT_PORT = "8090";

  private static final int LEAST_TOKEN = 16;
  private static final int MOST_TOKEN = 200;
  private static final int TOKEN_BYTES = 24;

  @Option(
      names = "--web",
      arity = "0..1",
      fallbackValue = DEFAULT_PORT,
      paramLabel = "PORT",
      description =
          "Show the records in a browser as they are translated, at http://localhost:PORT (default:"
              + " "
              + DEFAULT_PORT
              + "; 0 for any free one). See docs/live-page.md.")
  private Integer port;

  @Option(
      names = "--web-write",
      description =
          "Let the page send sentences to the job's source topic and corrections to a stage that"
              + " learns.")
  private boolean write;

  @Option(
      names = "--web-address",
      paramLabel = "ADDRESS",
      description =
          "Listen at this address of the machine instead of the loopback one; 0.0.0.0 is all of"
              + " them. Needs a certificate, and a token to open the page.")
  private String address;

  @Option(
      names = "--web-certificate",
      paramLabel = "FILE",
      description =
          "Serve the page over TLS with this certificate and its chain, PEM. The page answers to"
              + " the names in it.")
  private Path certificate;

  @Option(
      names = "--web-key",
      paramLabel = "FILE",
      description = "The private key of the certificate: PKCS #8, PEM, not encrypted.")
  private Path key;

  @Option(
      names = "--web-token",
      paramLabel = "FILE",
      description =
          "Open the page only with the token in this file. Beyond loopback, one is made and printed"
              + " if you omit this.")
  private Path token;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Whether the page is enabled. */
  public boolean isOn() {
    return port != null;
  }

  /**
   * The settings of the page; empty without one.
   *
   * @throws ParameterException if options are missing or incompatible
   */
  public Optional<WebSettings> settings() {
    if (!isOn()) {
      require(
          !write && address == null && certificate == null && key == null && token == null,
          "options that begin with --web- need --web.");
      return Optional.empty();
    }
    require(port >= 0 && port <= 65_535, "--web must be a port from 0 to 65535.");
    require(
        (certificate == null) == (key == null), "--web-certificate and --web-key need each other.");
    InetAddress at = address();
    boolean remote = !at.isLoopbackAddress();
    require(
        !remote || certificate != null,
        "--web-address "
            + address
            + " can be reached from other machines: give --web-certificate and --web-key, too.");
    Set<String> hosts = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));
    if (address != null && !at.isAnyLocalAddress()) {
      hosts.add(WebSettings.host(at));
      hosts.add(address.toLowerCase(Locale.ROOT));
    }
    Optional<Certificate> tls = Optional.empty();
    if (certificate != null) {
      tls = Optional.of(Certificate.read(certificate, key));
      hosts.addAll(tls.get().names());
    }
    return Optional.of(
        new WebSettings(
            new InetSocketAddress(at, port),
            write,
            hosts,
            tls.map(Certificate::context),
            token(remote)));
  }

  private InetAddress address() {
    try {
      return address == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new ParameterException(
          command.commandLine(), "--web-address " + address + " is not an address.", e);
    }
  }

  private Optional<String> token(boolean required) {
    if (token == null) {
      byte[] random = new byte[TOKEN_BYTES];
      new SecureRandom().nextBytes(random);
      return required
          ? Optional.of(Base64.getUrlEncoder().withoutPadding().encodeToString(random))
          : Optional.empty();
    }
    String text;
    try {
      text = Files.readString(token).strip();
    } catch (IOException e) {
      throw new CommandException(
          "the token file " + token + " cannot be read: " + FileErrors.reason(e), e);
    }
    if (!text.matches("[A-Za-z0-9_-]{" + LEAST_TOKEN + "," + MOST_TOKEN + "}")) {
      throw new CommandException(
          "the token in "
              + token
              + " must be "
              + LEAST_TOKEN
              + " to "
              + MOST_TOKEN
              + " letters, digits, - or _.");
    }
    return Optional.of(text);
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new ParameterException(command.commandLine(), otherwise);
    }
  }
}
