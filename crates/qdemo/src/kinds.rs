//! Enumerations whose kinds have names: the same in tables, in JSON and on the command line.

/// An enumeration of kinds that have names.
macro_rules! kinds {
    ($(#[$doc:meta])* pub enum $ty:ident { $($(#[$each:meta])* $kind:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
        pub enum $ty {
            $($(#[$each])* #[serde(rename = $name)] $kind,)*
        }

        impl $ty {
            /// Every kind.
            pub const ALL: &'static [$ty] = &[$($ty::$kind),*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self {
                    $($ty::$kind => $name,)*
                }
            }

            /// The kind with a name.
            pub fn by_name(name: &str) -> Option<$ty> {
                $ty::ALL.iter().copied().find(|kind| kind.name() == name)
            }
        }
    };
}
pub(crate) use kinds;
