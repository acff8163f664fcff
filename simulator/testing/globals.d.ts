// The Node side of the repository names its type packages one by one; tests need jest's globals as well.
/// <reference types="jest" />
