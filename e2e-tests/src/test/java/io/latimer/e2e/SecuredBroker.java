package io.latimer.e2e;

import io.latimer.kafka.EmbeddedKafka;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

/**
 * A broker with an address that takes only TLS and a password (SCRAM-SHA-512), as the one of the
 * manifests does. Tests themselves use the other address.
 */
public final class SecuredBroker implements AutoCloseable {
  /** The password of the user {@code latimer}, with what ends or escapes quoted texts. */
  public static final String PASSWORD = "open-\"sesame\"'\\7f3a;";

  private static final String STORE_PASSWORD = "password-of-the-store";

  private final EmbeddedKafka kafka;
  private final Path certificate;

  /**
   * Starts a broker.
   *
   * @param folder for its keys
   */
  public SecuredBroker(Path folder) throws Exception {
    Path keys = folder.resolve("broker.p12");
    certificate = folder.resolve("ca.crt");
    keytool(
        keys, "-genkeypair", "-keyalg", "EC", "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1");
    keytool(keys, "-exportcert", "-rfc", "-file", certificate.toString());
    String listener = "listener.name.secured.";
    kafka =
        EmbeddedKafka.startSecured(
            "SASL_SSL",
            Map.of(
                listener + "ssl.keystore.type",
                "PKCS12",
                listener + "ssl.keystore.location",
                keys.toString(),
                listener + "ssl.keystore.password",
                STORE_PASSWORD,
                listener + "sasl.enabled.mechanisms",
                "SCRAM-SHA-512",
                listener + "scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"));
    try (Admin admin =
        Admin.create(
            Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()))) {
      admin
          .alterUserScramCredentials(
              List.of(
                  new UserScramCredentialUpsertion(
                      "latimer",
                      new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096),
                      PASSWORD)))
          .all()
          .get();
    } catch (Exception e) {
      kafka.close();
      throw e;
    }
  }

  private static void keytool(Path keys, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-keystore", keys.toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", STORE_PASSWORD, "-alias", "broker"));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool: " + said);
    }
  }

  /** The broker, whose own address needs no password. */
  public EmbeddedKafka kafka() {
    return kafka;
  }

  /** The address that needs TLS and the password. */
  public String servers() {
    return kafka.securedServers();
  }

  /** The certificate that clients must trust, PEM. */
  public Path certificate() {
    return certificate;
  }

  @Override
  public void close() {
    kafka.close();
  }
}
