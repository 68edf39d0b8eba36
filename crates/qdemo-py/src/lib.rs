//! qdemo for Python: the module `qdemo._qdemo`, to which `python/qdemo` gives its names.

mod demo;
mod edits;
mod error;
mod options;
mod rows;
mod stream;
mod value;

use pyo3::prelude::*;

#[pymodule]
fn _qdemo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", error::with_nothing_known(module.py())?)?;
    module.add_class::<demo::Demo>()?;
    module.add_class::<rows::Table>()?;
    module.add_class::<rows::Batch>()?;
    module.add_class::<rows::Batches>()?;
    module.add_class::<rows::Rows>()?;
    module.add_function(wrap_pyfunction!(demo::open, module)?)?;
    module.add_function(wrap_pyfunction!(demo::compile, module)?)?;
    module.add_function(wrap_pyfunction!(edits::join, module)?)?;
    module.add_function(wrap_pyfunction!(edits::merge, module)?)?;
    module.add_function(wrap_pyfunction!(rows::scan, module)?)?;
    module.add_function(wrap_pyfunction!(rows::tables, module)?)?;
    module.add_function(wrap_pyfunction!(rows::find, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
