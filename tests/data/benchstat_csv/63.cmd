benchstat -format csv -row pkg,.fullname -col '.file@(new.txt old.txt)' old.txt new.txt alt.txt
