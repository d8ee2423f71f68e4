package io.latimer.operators.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class whose numbers come from OpenBLAS, which rounds differently on every kind of CPU. The
 * build runs it once as the machine likes and once for each of the core types that the module's pom
 * names, by the environment variable {@value OpenBlasCore#VARIABLE}; where the CPU lacks a type's
 * instructions the class is skipped by name.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("openblas")
@ExtendWith(OpenBlasCore.class)
public @interface OnEachOpenBlasCore {}
