package io.latimer.pipelines.sql;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.shared.SharedConfig;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedCatalogModel;
import org.apache.flink.table.factories.ModelProviderFactory;
import org.apache.flink.table.ml.ModelProvider;

/**
 * Creates models for {@code CREATE MODEL ... WITH ('provider' = 'latimer', 'task' = ...)}. The
 * other options are those of the stage in a job file. They are checked in the same way when a query
 * that uses the model is planned; its index file is hashed then.
 */
public final class LatimerModelProviderFactory implements ModelProviderFactory {
  private static final ConfigOption<String> TASK =
      ConfigOptions.key(ModelOptions.TASK.name())
          .stringType()
          .noDefaultValue()
          .withDescription(ModelOptions.TASK.doc());

  @Override
  public String factoryIdentifier() {
    return "latimer";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(TASK);
  }

  /** Returns none, so that Flink does not check options, which depend on the task. */
  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public ModelProvider createModelProvider(Context context) {
    ResolvedCatalogModel model = context.getCatalogModel();
    String name = "model " + context.getObjectIdentifier().asSummaryString();
    try {
      ModelOptions options = ModelOptions.read(model.getOptions(), name);
      OutputRow output = OutputRow.of(model, options, name);
      SharedConfig stages = SharedConfig.of(options.stage(), IndexFiles.none());
      checkLocations(stages);
      return new StageModelProvider(name, stages, output, options, context.getConfiguration());
    } catch (ConfigException e) {
      throw new ValidationException(e.getMessage(), e);
    } catch (OperatorException e) {
      throw new ValidationException(name + ": " + e.getMessage(), e);
    }
  }

  /**
   * Refuses unsupported locations early: with a given SHA-256, only the tasks would read the file.
   */
  private static void checkLocations(SharedConfig config) {
    config.stages().stream()
        .flatMap(stage -> stage.indexRefs().stream())
        .filter(index -> !IndexFiles.isLocal(index.uri()) && !IndexFiles.isHttp(index.uri()))
        .findFirst()
        .ifPresent(
            index -> {
              throw new OperatorException(
                  index.location()
                      + ": SQL reads no index files from "
                      + index.uri().getScheme()
                      + ":; give a local path or an http or https address");
            });
  }
}
