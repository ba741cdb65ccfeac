benchstat -format csv -table .name -row /bits@num -col /size,.file old.txt new.txt
