package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;

/**
 * Loads Flink's plugins into this process, such as the file system {@code s3:}, for index files and
 * checkpoints. They are where Flink's own programs expect them: each in its own folder below the
 * one that {@code FLINK_PLUGINS_DIR} names.
 */
public final class FilePlugins {
  private FilePlugins() {}

  /**
   * Registers file systems.
   *
   * @param engine Flink's settings, such as {@code s3.access-key}
   * @throws CommandException if the folder does not exist
   */
  public static void load(Configuration engine) {
    String folder = System.getenv(ConfigConstants.ENV_FLINK_PLUGINS_DIR);
    if (folder == null || folder.isEmpty()) {
      return; // otherwise Flink would search the working directory
    }
    if (!Files.isDirectory(Path.of(folder))) {
      throw new CommandException(
          folder
              + " is not a folder; "
              + ConfigConstants.ENV_FLINK_PLUGINS_DIR
              + " must name the folder with Flink's plugins, or be unset");
    }
    FileSystem.initialize(engine, PluginUtils.createPluginManagerFromRootFolder(engine));
  }
}
